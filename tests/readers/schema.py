"""schema.py archive.md ARCHIVE... - says the page what is in the archives, and have they what the page says?

Both ways: data sets with types, dimensions, missing values and attributes, the root's attributes with their types, those
of /run (where what isn't known is left out). Prints what differs, a line each.
"""
import re
import sys

import h5py
import numpy

SERIES = ("gate", "up", "ffn")
# netCDF-4's and HDF5's own bookkeeping of dimensions.
PLUMBING = {"DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME", "_Netcdf4Dimid", "_Netcdf4Coordinates", "_NCProperties"}


def tables(page):
    """[(heading, rows)] of each table that stands in the page; a row is its cells."""
    heading, rows = "", []
    for line in page.split("\n"):
        if line.startswith("#"):
            heading = line.lstrip("# ")
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            yield heading, rows[2:]
            rows = []


def page_of(text):
    """The page's data sets {path: (type, dimensions, words)}, attributes of data sets, of the root, of /run."""
    sets, of_sets, root, run = {}, {}, {}, {}
    for heading, rows in tables(text.split("\n## Merging")[0]):
        for cells in rows:
            name = cells[0].strip("`")
            if heading == "Data sets":
                of_sets[name] = cells[1]
            elif heading.startswith("Attributes of the root"):
                root[name] = cells[1]
            elif heading.startswith("Attributes of the group"):
                run[name] = cells[1]
            elif len(cells) == 4 and name != "prompt_layers": # in checkpoints only
                groups = SERIES if heading == "gate, up, ffn" else (heading,)
                if "(per series)" in cells[3]:
                    groups = [f"{heading}/{s}" for s in SERIES]
                for group in groups:
                    words = cells[3].replace("SERIES", group.split("/")[-1])
                    sets[f"{group}/{name}"] = cells[1], tuple(cells[2].split(", ")), words
    return sets, of_sets, root, run


def type_of(value):
    if isinstance(value, str):
        return "text, 32 hex digits" if re.fullmatch("[0-9a-f]{32}", value) else "text"
    return value.dtype.name + (" list" if value.ndim else "")


def words_of(row):
    """The words of a row, as long_name has them."""
    words = re.sub(r"; (NaN: missing|-1: none)|-1: none| \(per series\)| \(CSV: [A-Za-z%]*\)|: in checkpoints only", "", row)
    return re.sub(r"abs\((\w+)\)", r"|\1|", words).rstrip(" ;")


def look_at(path, f, sets, of_sets, root, run):
    def differ(*words):
        print(path + ":", *words)

    found = {}
    f.visititems(lambda name, item: found.update({name: item}) if isinstance(item, h5py.Dataset) else None)
    dimensions = {n for n, d in found.items() if h5py.h5ds.is_scale(d.id)}
    for name in sorted((set(found) - dimensions) ^ set(sets)):
        differ(name, "is in one of page and archive only")
    for name in sorted(set(found) & set(sets)):
        item, (kind, shape, words) = found[name], sets[name]
        if item.dtype.name != kind or item.dtype.byteorder == ">":
            differ(name, "is", item.dtype, "and should be", kind)
        if tuple(d[0].name.strip("/") for d in item.dims) != shape:
            differ(name, "has other dimensions than", shape)
        wanted = {"long_name", "units"}
        wanted |= {"_FillValue"} if "NaN: missing" in words or "-1: none" in words else set()
        wanted |= {"csv_column"} if "(CSV: " in words else set()
        wanted |= {"flag_masks", "flag_meanings"} if name == "saturation/flags" else set()
        wanted |= {"flag_values", "flag_meanings"} if name == "saturation/saturated" else set()
        if set(item.attrs) - PLUMBING != wanted:
            differ(name, "has the attributes", sorted(set(item.attrs) - PLUMBING), "and should have", sorted(wanted))
        for key in wanted & set(item.attrs):
            value, of = item.attrs[key], of_sets[key]
            of = kind if of == "the data set's" else of
            if type_of(numpy.squeeze(value) if key == "_FillValue" else value) != of:
                differ(name, key, "is", type_of(value), "and should be", of)
        if item.attrs.get("units") != "1" or words_of(words) != item.attrs.get("long_name"):
            differ(name, "is", repr(item.attrs.get("long_name")), "and should be", repr(words_of(words)))
    for where, have, want, optional in (("/", f.attrs, root, False), ("/run", f["run"].attrs, run, True)):
        names = set(have) - PLUMBING
        for name in sorted(names - set(want) if optional else names ^ set(want)):
            differ(where, name, "is in one of page and archive only")
        for name in sorted(names & set(want)):
            if type_of(have[name]) != want[name]:
                differ(where, name, "is", type_of(have[name]), "and should be", want[name])


parts = page_of(open(sys.argv[1], encoding="utf-8").read())
assert all(parts), "the page has its tables"
for archive in sys.argv[2:]:
    with h5py.File(archive, "r") as f:
        look_at(archive, f, *parts)
