"""An archive as a mapping of groups, with the tables that people ask for.

Arrays are read when they are asked for, whole or a layer at a time: the archive stores them in chunks of a layer. The
formulas are those of docs/methods.md; criteria compare float32 with float32, so that flags come out as in the archive.
"""
from collections.abc import Mapping

import h5py
import numpy

from .version import FORMAT_VERSION

SERIES = ("gate", "up", "ffn")
METRICS = ("mean", "variance", "skewness", "kurtosis", "min", "max", "low_activity", "inactive", "mean_stderr",
           "low_activity_stderr")
# The CSV's columns: name, data set of the group `summary`, factor, decimals.
COLUMNS = (("LowVarGate%", "low_var_gate", 100, 1), ("LowVarUp%", "low_var_up", 100, 1),
           ("LowVarFFN%", "low_var_ffn", 100, 1), ("Saturated%", "saturated", 100, 1),
           ("AvgVarGate", "avg_var_gate", 1, 6), ("AvgVarUp", "avg_var_up", 1, 6), ("AvgVarFFN", "avg_var_ffn", 1, 6),
           ("AvgMeanGate", "avg_mean_gate", 1, 3), ("AvgMeanUp", "avg_mean_up", 1, 3),
           ("AvgMeanFFN", "avg_mean_ffn", 1, 3), ("EstSpeedup", "est_speedup", 1, 2))
THRESHOLDS = ("variance_threshold", "gradient_threshold", "low_activity_ratio")


class ArchiveError(ValueError):
    """A file that can't be used: what is wrong with it, in a line."""


def _module(name):
    """xarray or pandas, which not everybody has."""
    try:
        return __import__(name)
    except ImportError as e:
        raise ImportError(f"this needs {name}: pip install {name}") from e


def open_archive(path):
    """Opens an archive; OSError where there is no such file, ArchiveError where it is another thing."""
    with open(path, "rb"):
        pass  # what the system says is clearer than what HDF5 does
    if not h5py.is_hdf5(path):
        raise ArchiveError(f"{path}: is no HDF5 file, or was cut short")
    try:
        file = h5py.File(path, "r")
    except OSError as e:
        raise ArchiveError(f"{path}: can't be read as HDF5 ({e})") from e
    try:
        return Archive(file, path)
    except BaseException:
        file.close()
        raise


def _native(value):
    """An attribute as Python's or NumPy's own: texts are str."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


class Archive(Mapping):
    """An open archive: groups by name ("gate", "state/ffn") as xarray.Dataset, and tables. Close it, or use `with`."""

    def __init__(self, file, path):
        self.path, self._file, self._cache = str(path), file, {}
        self.attrs = {k: _native(v) for k, v in file.attrs.items() if not k.startswith("_")}
        self._check()
        self.run = {k: _native(v) for k, v in file["run"].attrs.items()}
        self.layers, self.neurons_per_layer = (int(file[d].shape[0]) for d in ("layer", "neuron"))

    def _check(self):
        if self.attrs.get("format") != "phi3sat archive":
            raise ArchiveError(f"{self.path}: is an HDF5 file, but no archive of phi3sat's")
        version = int(self.attrs.get("format_version", 0))
        if version != FORMAT_VERSION:
            raise ArchiveError(f"{self.path}: is an archive of version {version}, this reads {FORMAT_VERSION}")
        groups = SERIES + ("saturation", "extremes", "summary", "model", "state", "run", "layer", "neuron")
        missing = [g for g in groups if g not in self._file]
        missing += [t for t in THRESHOLDS + ("activity", "combine") if t not in self.attrs]
        if missing:
            raise ArchiveError(f"{self.path}: is damaged: {missing[0]} is missing")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._file.close()

    def __repr__(self):
        a = self.attrs
        return (f"<phi3sat.Archive {self.path}: {a['architecture']}, {self.layers} layers of {self.neurons_per_layer} "
                f"neurons, {a['prompts']} prompts, {a['tokens']} tokens>")

    # ---- groups ----

    def __iter__(self):
        names = []
        self._file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Group) else None)
        return (n for n in names if n != "run")  # which has attributes only: Archive.run

    def __len__(self):
        return sum(1 for _ in iter(self))

    def __contains__(self, name):
        return name in set(self)

    def __getitem__(self, name):
        """A group as an xarray.Dataset with named dimensions and the coordinates layer and neuron."""
        if name not in self:
            raise KeyError(name)
        if name not in self._cache:
            self._cache[name] = self.group(name)
        return self._cache[name]

    def group(self, name, layer=None):
        """The same, of one layer only where it is given."""
        xarray = _module("xarray")
        found, used = {}, set()
        for key, item in self._file[name].items():
            if isinstance(item, h5py.Dataset):
                dims = tuple(d[0].name.strip("/") for d in item.dims)
                one = layer is not None and dims[0] == "layer"
                attrs = {k: _native(v) for k, v in item.attrs.items() if k in ("long_name", "units", "csv_column")}
                found[key] = dims[1:] if one else dims, item[layer] if one else item[...], attrs
                used.update(found[key][0])
        # A variable that has a dimension's name would be taken for its coordinates: extremes/neuron has no such dimension.
        coordinates = {d: self._file[d][...] for d in ("layer", "neuron") if d in used and d not in found}
        return xarray.Dataset(found, coords=coordinates, attrs=dict(self.attrs))

    def tree(self):
        """All groups as xarray's DataTree."""
        xarray = _module("xarray")
        if not hasattr(xarray, "DataTree"):
            raise ImportError(f"xarray {xarray.__version__} has no DataTree (2024.10 has): use the archive as a mapping")
        root = xarray.Dataset(coords={d: self._file[d][...] for d in ("layer", "neuron")}, attrs=dict(self.attrs))
        return xarray.DataTree.from_dict({"/": root, **{name: self[name] for name in self}})

    def array(self, name, layer=None):
        """A data set such as "ffn/variance" as a NumPy array, or one layer of it."""
        item = self._file[name]
        return item[...] if layer is None else item[layer]

    # ---- tables ----

    def table(self):
        """A row a layer with the CSV's columns, not rounded; percentages from 0 to 100."""
        pandas = _module("pandas")
        columns = {"Neurons": self.array("summary/neurons")}
        columns.update((name, factor * self.array("summary/" + key)) for name, key, factor, _ in COLUMNS)
        return pandas.DataFrame(columns, index=pandas.Index(self.array("layer"), name="Layer"))

    def csv(self):
        """The text of the CSV that phi3sat itself writes."""
        lines = [",".join(["Layer", "Neurons"] + [name for name, *_ in COLUMNS])]
        values = [factor * self.array("summary/" + key) for _, key, factor, _ in COLUMNS]
        for layer, neurons in zip(self.array("layer"), self.array("summary/neurons")):
            cells = [str(layer), str(neurons)]
            for (name, _, _, decimals), column in zip(COLUMNS, values):
                text = f"{column[layer]:.{decimals}f}"
                cells.append("nan" if numpy.isnan(column[layer]) else text + "x" * (name == "EstSpeedup"))
            lines.append(",".join(cells))
        return "\n".join(lines) + "\n"

    def flags(self, layer=None):
        """{"gate_low_variance": bool array, ..., "super_neuron": ...}, by the words in the archive."""
        item = self._file["saturation/flags"]
        bits = self.array("saturation/flags", layer)
        words = _native(item.attrs["flag_meanings"]).split()
        return {word: bits & mask != 0 for word, mask in zip(words, item.attrs["flag_masks"])}

    def neurons(self, layer=None, metrics=METRICS):
        """A row a neuron: SERIES_METRIC of each, the flags, saturated and super_neuron. All layers, or one."""
        pandas = _module("pandas")
        columns = {f"{s}_{m}": self.array(f"{s}/{m}", layer).ravel() for s in SERIES for m in metrics}
        flags = {word: bits.ravel() for word, bits in self.flags(layer).items()}
        columns.update((f"is_{word}" if word != "super_neuron" else word, bits) for word, bits in flags.items())
        columns["saturated"] = self.array("saturation/saturated", layer).ravel() != 0
        layers = self.array("layer") if layer is None else [layer]
        index = pandas.MultiIndex.from_product([layers, self.array("neuron")], names=["layer", "neuron"])
        return pandas.DataFrame(columns, index=index)

    def extremes(self):
        """A row for each of a layer's largest |ffn|: value, neuron, position in the prompt, the prompt's hash."""
        pandas = _module("pandas")
        value, neuron, position = (self.array("extremes/" + k) for k in ("value", "neuron", "position"))
        words = self.array("extremes/prompt_hash")
        index = pandas.MultiIndex.from_product([self.array("layer"), range(value.shape[1])], names=["layer", "rank"])
        table = pandas.DataFrame({"neuron": neuron.ravel(), "value": value.ravel(), "position": position.ravel()}, index)
        table["prompt"] = [f"{high:016x}{low:016x}" for low, high in words.reshape(-1, 2)]
        return table[table["neuron"] >= 0]

    # ---- judging anew ----

    def saturated(self, layer=None, combine=None, activity=None, **thresholds):
        """Which neurons are saturated, as a bool array, by other thresholds: variance_threshold, gradient_threshold,
        low_activity_ratio; combine: all, any or ffn; activity: absolute or signed. The archive's own where not given."""
        unknown = set(thresholds) - set(THRESHOLDS)
        if unknown:
            raise TypeError(f"there is no threshold {sorted(unknown)[0]}; there are {', '.join(THRESHOLDS)}")
        limit = {t: numpy.float32(thresholds.get(t, self.attrs[t])) for t in THRESHOLDS}
        activity, combine = activity or self.attrs["activity"], combine or self.attrs["combine"]
        if activity not in ("absolute", "signed") or combine not in ("all", "any", "ffn"):
            raise ValueError(f"activity is absolute or signed, combine all, any or ffn; not {activity!r} and {combine!r}")
        share = "inactive" if activity == "signed" else "low_activity"
        series = [(self.array(f"{s}/variance", layer) < limit["variance_threshold"])
                  | (abs(self.array(f"{s}/mean", layer)) < limit["gradient_threshold"])
                  | (self.array(f"{s}/{share}", layer) > limit["low_activity_ratio"]) for s in SERIES]
        if combine == "ffn":
            return series[2]
        return numpy.logical_and.reduce(series) if combine == "all" else numpy.logical_or.reduce(series)

    def mean_square(self, series="ffn", layer=None):
        """E[x^2] over the finite samples from the exact sums; NaN without any."""
        if layer is None:
            return numpy.stack([self.mean_square(series, i) for i in range(self.layers)])
        low, middle, high = (limb.astype(object) for limb in self.array(f"state/{series}/sum2", layer))
        count = int(self.array("state/samples", layer)) - self.array(f"state/{series}/nonfinite", layer).astype(object)
        return numpy.array([(a + (b << 64) + (c << 128)) / (1 << 112) / n if n else numpy.nan
                            for a, b, c, n in zip(low, middle, high, count)])
