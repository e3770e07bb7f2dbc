#!/usr/bin/env python3
"""Finds the planted neurons in an archive and compares them, class by class, with synth's manifest.

  planted.py ARCHIVE.h5 MANIFEST.json

Classes are told by the archive's numbers alone:
  dead       nothing but 0 in gate, up and ffn
  frozen     variance below 0.01 in all three, gate and up away from 0
  low        low activity above 0.8 in all three, and yet variance above 0.01
  super      the archive's flag
  duplicate  a neuron whose every number is that of another one
A noisy duplicate can't be told from the archive; its numbers have to be near its partner's.
Prints what differs; nothing when every planted neuron is found and no other. Needs h5py.
"""
import json
import sys

import h5py
import numpy as np

SERIES = ("gate", "up", "ffn")
SUPER_BIT = 24


def neurons(mask):
    return {(int(layer), int(neuron)) for layer, neuron in zip(*np.nonzero(mask))}


def pairs(arrays, quiet):
    """Groups of neurons of a layer that have the same numbers."""
    found = set()
    for layer in range(quiet.shape[0]):
        groups = {}
        for neuron in np.nonzero(~quiet[layer])[0]:
            groups.setdefault(tuple(float(a[layer, neuron]) for a in arrays), []).append(int(neuron))
        found |= {(layer,) + tuple(sorted(group)) for group in groups.values() if len(group) > 1}
    return found


def classes(archive):
    get = {m: [archive[s][m][...] for s in SERIES] for m in ("mean", "variance", "low_activity", "min", "max")}
    is_super = archive["saturation/flags"][...] >> SUPER_BIT & 1 == 1
    dead = np.all([(a == 0) & (b == 0) for a, b in zip(get["min"], get["max"])], 0)
    still = np.all([v < 0.01 for v in get["variance"]], 0)
    low = np.all([v > 0.8 for v in get["low_activity"]], 0)
    frozen = still & ~dead & (abs(get["mean"][0]) > 0.1) & (abs(get["mean"][1]) > 0.1)
    found = {"dead": neurons(dead), "frozen": neurons(frozen), "super": neurons(is_super),
             "low": neurons(low & ~is_super & np.all([v >= 0.01 for v in get["variance"]], 0))}
    saturated = archive["saturation/saturated"][...] == 1
    found["duplicate"] = pairs(get["mean"] + get["variance"], saturated)
    planted = found["dead"] | found["frozen"] | found["low"] | found["super"]
    found["saturated"] = neurons(saturated) - planted
    return found, get


def main():
    archive_path, manifest_path = sys.argv[1:]
    with open(manifest_path, encoding="utf-8") as f:
        manifest = json.load(f)
    wanted = {c: set() for c in ("dead", "frozen", "super", "low", "duplicate", "saturated")}
    noisy = []
    for p in manifest["planted"]:
        place = (p["layer"], p["neuron"])
        if p["class"] == "noisy-duplicate":
            noisy.append(place + (p["partner"],))
        elif p["class"] == "duplicate":
            wanted["duplicate"].add((p["layer"],) + tuple(sorted((p["neuron"], p["partner"]))))
        else:
            wanted[p["class"]].add(place)
    with h5py.File(archive_path, "r") as archive:
        found, get = classes(archive)
    for name, places in wanted.items():
        if found[name] != places:
            print(name, "missing", sorted(places - found[name])[:5], "not planted", sorted(found[name] - places)[:5])
    for layer, neuron, partner in noisy:
        for s, v in zip(SERIES, get["variance"]):
            if abs(v[layer, neuron] / v[layer, partner] - 1) > 0.4:
                print("noisy duplicate", layer, neuron, s, v[layer, neuron], v[layer, partner])


if __name__ == "__main__":
    main()
