"""saturated.py ARCHIVE READER - each layer's Saturated% from raw arrays and thresholds, by h5py or xarray.

Layer after layer, as someone would who can't hold a large archive in memory. READER: h5py, netcdf4, h5netcdf.
"""
import sys

SERIES = ("gate", "up", "ffn")


def saturated(series, attributes):
    """series[name][metric]: [neuron] of one layer. The criteria of docs/methods.md, compared as float32."""
    share = "inactive" if attributes["activity"] == "signed" else "low_activity"
    of = [(s["variance"] < attributes["variance_threshold"])
          | (abs(s["mean"]) < attributes["gradient_threshold"])
          | (s[share] > attributes["low_activity_ratio"]) for s in (series[name] for name in SERIES)]
    combine = attributes["combine"]
    return of[2] if combine == "ffn" else of[0] & of[1] & of[2] if combine == "all" else of[0] | of[1] | of[2]


def by_h5py(path):
    import h5py

    with h5py.File(path, "r") as f:
        for layer in f["layer"]:
            yield layer, saturated({s: {m: f[s][m][layer] for m in ("variance", "mean", "low_activity", "inactive")}
                                    for s in SERIES}, f.attrs).mean()


def by_xarray(path, engine):
    import xarray

    root = xarray.open_dataset(path, engine=engine)
    groups = {s: xarray.open_dataset(path, group=s, engine=engine) for s in SERIES}
    for layer in root["layer"].values:
        one = {s: group.isel(layer=layer) for s, group in groups.items()}
        yield layer, float(saturated(one, root.attrs).mean("neuron"))


path, reader = sys.argv[1:]
for layer, share in by_h5py(path) if reader == "h5py" else by_xarray(path, reader):
    print(f"{layer},{100 * share:.1f}")
