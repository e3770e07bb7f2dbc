"""readers.py ARCHIVE LAYERS NEURONS - opens an archive as people do; a point a line.

Each reader also recomputes something from the raw arrays, so that 'opens' means that
the right numbers came out: the saturated share of each layer from the flags, and a
mean from the exact integers of the state.
"""
import importlib
import sys

path, layers, neurons = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
SERIES = ("gate", "up", "ffn")


def check(held, claim):
    print("ok" if held else "not ok", claim)


def have(*names):
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            print(f"skip {names[0]}: Python's {name} is not installed (Debian: python3-{name.lower()})")
            return False
    return True


def saturated_share(flags):
    """All three series with some criterion: the rule 'all'."""
    import numpy

    saturated = numpy.ones(flags.shape, bool)
    for s in range(3):
        saturated &= (flags >> (8 * s) & 0xFF) != 0
    return saturated.mean(axis=1)


def exact_mean(limbs, finite):
    """The mean from [3, neuron] limbs in units of 2^-128, in Python's integers."""
    from fractions import Fraction

    means = []
    for low, middle, high, n in zip(*[[int(x) for x in row] for row in limbs], [int(n) for n in finite]):
        total = low | middle << 64 | high << 128
        if total >> 191:
            total -= 1 << 192
        means.append(float(Fraction(total, n << 128)) if n else float("nan"))
    return means


def test_h5py():
    import h5py
    import numpy

    with h5py.File(path, "r") as f:
        check(isinstance(f.attrs["architecture"], str), "h5py: texts are str")
        check(f.attrs["format"] == "phi3sat archive" and f.attrs["format_version"] == 1, "h5py: format and version")
        check(f.attrs["variance_threshold"].dtype == numpy.float32, "h5py: thresholds are float32")
        check(f["layer"].dtype == numpy.int32 and list(f["layer"]) == list(range(layers)), "h5py: layer's coordinates")
        check(f["neuron"].dtype == numpy.int32 and f["neuron"].shape == (neurons,), "h5py: neuron's coordinates")

        unnamed = []

        def look_at(name, item):
            if isinstance(item, h5py.Dataset) and not h5py.h5ds.is_scale(item.id):
                if not all(len(d) == 1 for d in item.dims):
                    unnamed.append(name)

        f.visititems(look_at)
        check(not unnamed, f"h5py: every dimension of every data set has a scale {unnamed}")
        check([d[0].name for d in f["state/up/sum1"].dims] == ["/layer", "/limb", "/neuron"], "h5py: the right ones")

        metrics = ("mean variance skewness kurtosis min max low_activity inactive mean_stderr "
                   "low_activity_stderr").split()
        right = all(
            f[s][m].dtype == numpy.float32
            and f[s][m].shape == (layers, neurons)
            and f[s][m].chunks == (1, neurons)
            and f[s][m].shuffle
            and f[s][m].fletcher32
            and f[s][m].compression == "gzip"
            and numpy.isnan(f[s][m].attrs["_FillValue"])
            and f[s][m].attrs["units"] == "1"
            and s in f[s][m].attrs["long_name"]
            for s in SERIES
            for m in metrics
        )
        check(right, "h5py: the metrics' types, shapes, chunks, filters and attributes")
        check(all(f[s]["count"].dtype == numpy.uint64 and f[s]["count"].shape == (layers,) for s in SERIES)
              and all(f[s]["nonfinite"].dtype == numpy.uint32 for s in SERIES), "h5py: counts' types")

        flags = f["saturation/flags"]
        words = flags.attrs["flag_meanings"].split()
        masks = [int(m) for m in flags.attrs["flag_masks"]]
        check(words == [f"{s}_{c}" for s in SERIES for c in ("low_variance", "zero_gradient", "low_activity")]
              + ["super_neuron"], "h5py: a meaning for each flag")
        check(masks == [1 << (c + 8 * s) for s in range(3) for c in range(3)] + [1 << 24], "h5py: and its mask")
        variance, threshold = f["up/variance"][...], f.attrs["variance_threshold"]
        check(((flags[...] & masks[words.index("up_low_variance")] != 0) == (variance < threshold)).all(),
              "h5py: a flag is the float32 comparison it stands for")
        check((saturated_share(flags[...]) == f["saturation/saturated"][...].mean(axis=1)).all(),
              "h5py: saturated follows from the flags")
        check((f["summary/saturated"][...] == f["saturation/saturated"][...].mean(axis=1)).all(),
              "h5py: and the summary from saturated")
        low = (variance < threshold).mean(axis=1)
        check((f["summary/low_var_up"][...] == low).all() and f["summary/low_var_up"].attrs["csv_column"] ==
              "LowVarUp%", "h5py: a column of the CSV recomputed")

        for s in SERIES:
            finite = f[s]["count"][0] - f["state"][s]["nonfinite"][0]
            exact = numpy.float32(exact_mean(f["state"][s]["sum1"][0], finite))
            check(numpy.array_equal(exact, f[s]["mean"][0], equal_nan=True),
                  f"h5py: the mean of {s} from the exact integers, to the bit")

        value, neuron = f["extremes/value"][0], f["extremes/neuron"][0]
        check(neuron[0] == 1 and value[0] == -1234.5 and f["extremes/position"][0, 0] == 3,
              "h5py: the super neuron leads its layer's extremes")
        check((abs(value[:-1]) >= abs(value[1:])).all(), "h5py: extremes fall in magnitude")
        check(f["state/prompt_hash"].shape == (5, 2) and f["state/prompt_multiplicity"][...].sum() == 6,
              "h5py: the prompts")
        check(f["run"].attrs["command_line"].startswith("phi3sat"), "h5py: the run's attributes")


def test_xarray(engine):
    import xarray

    root = xarray.open_dataset(path, engine=engine)
    check(dict(root.sizes) == {"layer": layers, "neuron": neurons}, f"xarray, {engine}: the root's coordinates")
    check(root.attrs["precision"] == "f32", f"xarray, {engine}: the root's attributes")
    for s in SERIES:
        data = xarray.open_dataset(path, group=s, engine=engine)
        check(data["mean"].dims == ("layer", "neuron") and data["count"].dims == ("layer",),
              f"xarray, {engine}: group {s} has named dimensions")
        check(len(data.data_vars) == 12, f"xarray, {engine}: group {s} has its 12 arrays")
    ffn = xarray.open_dataset(path, group="ffn", engine=engine)
    share = (ffn["variance"] < root.attrs["variance_threshold"]).mean("neuron")
    summary = xarray.open_dataset(path, group="summary", engine=engine)
    check(bool((share == summary["low_var_ffn"]).all()), f"xarray, {engine}: LowVarFFN% recomputed by name")
    check(bool(ffn["mean"].isel(neuron=2).isnull().all()) and int(ffn["nonfinite"][0, 2]) > 0,
          f"xarray, {engine}: a neuron without finite samples is missing")
    for group, name, dims in (("saturation", "flags", ("layer", "neuron")), ("extremes", "value", ("layer", "rank")),
                              ("extremes", "prompt_hash", ("layer", "rank", "word")),
                              ("state/gate", "sum1", ("layer", "limb", "neuron")),
                              ("state", "prompt_hash", ("prompt", "word"))):
        data = xarray.open_dataset(path, group=group, engine=engine)
        check(data[name].dims == dims, f"xarray, {engine}: {group}/{name} has dimensions {', '.join(dims)}")


if have("h5py", "numpy"):
    test_h5py()
for engine, module in (("netcdf4", "netCDF4"), ("h5netcdf", "h5netcdf")):
    if have("xarray", module):
        test_xarray(engine)
