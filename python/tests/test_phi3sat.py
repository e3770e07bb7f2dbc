"""Tests of the package: PHI3SAT_ARCHIVES names a folder with base.h5, base.csv, other.csv (--variance-threshold 0.5
--combine ffn), nan.h5 and nan.csv of `phi3sat profile` and `report`. tests/python/package.t makes them."""
import importlib.util
import os
import shutil
import tempfile
import unittest

import h5py
import numpy

import phi3sat

FOLDER = os.environ["PHI3SAT_ARCHIVES"]


def has(name):
    return importlib.util.find_spec(name) is not None


def path(name):
    return os.path.join(FOLDER, name)


def text(name):
    with open(path(name), encoding="utf-8") as f:
        return f.read()


class Reading(unittest.TestCase):
    def setUp(self):
        self.a = phi3sat.open(path("base.h5"))
        self.addCleanup(self.a.close)

    def test_facts(self):
        self.assertEqual(self.a.attrs["format"], "phi3sat archive")
        self.assertEqual((self.a.layers, self.a.neurons_per_layer), (4, 100))
        self.assertIn("phi3sat", self.a.run["command_line"])
        self.assertIn("4 layers of 100 neurons", repr(self.a))

    def test_arrays(self):
        with h5py.File(path("base.h5")) as f:
            for name in ("ffn/variance", "state/gate/sum1", "extremes/prompt_hash"):
                self.assertTrue(numpy.array_equal(self.a.array(name), f[name][...]), name)
                self.assertTrue(numpy.array_equal(self.a.array(name, layer=2), f[name][2]), name)

    def test_csv_is_the_programs(self):
        self.assertEqual(self.a.csv(), text("base.csv"))
        with phi3sat.open(path("nan.h5")) as a:
            self.assertEqual(a.csv(), text("nan.csv"))
            self.assertIn("nan", a.csv())

    def test_judged_by_the_archives_own_rule(self):
        self.assertTrue(numpy.array_equal(self.a.saturated(), self.a.array("saturation/saturated") != 0))
        self.assertTrue(numpy.array_equal(self.a.saturated(layer=3), self.a.array("saturation/saturated", 3) != 0))

    def test_judged_anew_as_report_does(self):
        shares = [float(line.split(",")[5]) for line in text("other.csv").splitlines()[1:]]
        ours = 100 * self.a.saturated(variance_threshold=0.5, combine="ffn").mean(axis=1)
        self.assertEqual([f"{x:.1f}" for x in ours], [f"{x:.1f}" for x in shares])
        self.assertGreater(len(set(shares)), 1)
        for wrong in ({"variance": 1}, {"activity_threshold": 0.2}):
            self.assertRaises(TypeError, self.a.saturated, **wrong)
        for wrong in ({"combine": "most"}, {"activity": "odd"}):
            self.assertRaises(ValueError, self.a.saturated, **wrong)

    def test_flags(self):
        flags = self.a.flags()
        self.assertEqual(len(flags), 10)
        low = self.a.array("up/variance") < self.a.attrs["variance_threshold"]
        self.assertTrue(numpy.array_equal(flags["up_low_variance"], low))

    def test_mean_square(self):
        wanted = self.a.array("ffn/variance").astype(float) + self.a.array("ffn/mean").astype(float) ** 2
        self.assertTrue(numpy.allclose(self.a.mean_square(), wanted, rtol=1e-5, atol=1e-30))
        with phi3sat.open(path("nan.h5")) as a:
            self.assertTrue(numpy.isnan(a.mean_square(layer=3)).all())


@unittest.skipUnless(has("xarray"), "xarray is not installed")
class Groups(unittest.TestCase):
    def setUp(self):
        self.a = phi3sat.open(path("base.h5"))
        self.addCleanup(self.a.close)

    def test_mapping(self):
        self.assertIn("state/ffn", self.a)
        self.assertNotIn("run", self.a)
        self.assertEqual(len(self.a), len(list(self.a)))
        self.assertRaises(KeyError, lambda: self.a["nothing"])

    def test_dimensions_and_coordinates(self):
        variance = self.a["ffn"]["variance"]
        self.assertEqual(variance.dims, ("layer", "neuron"))
        self.assertTrue(numpy.array_equal(variance.sel(layer=2).values, self.a.array("ffn/variance", 2)))
        self.assertEqual(list(variance.layer.values), [0, 1, 2, 3])
        self.assertEqual(self.a["extremes"]["neuron"].dims, ("layer", "rank"))
        self.assertEqual(self.a.group("state/up", layer=1)["sum1"].dims, ("limb", "neuron"))
        share = (variance < self.a.attrs["variance_threshold"]).mean("neuron")
        self.assertTrue(numpy.array_equal(share.values, self.a.array("summary/low_var_ffn")))

    def test_tree(self):
        import xarray

        if not hasattr(xarray, "DataTree"):
            self.assertRaises(ImportError, self.a.tree)
            return
        tree = self.a.tree()
        self.assertEqual(tree["state/ffn"]["sum1"].dims, ("layer", "limb", "neuron"))
        self.assertEqual(tree.attrs["precision"], "f32")


@unittest.skipUnless(has("pandas"), "pandas is not installed")
class Tables(unittest.TestCase):
    def setUp(self):
        self.a = phi3sat.open(path("base.h5"))
        self.addCleanup(self.a.close)

    def test_table(self):
        table = self.a.table()
        self.assertEqual(["Layer"] + list(table.columns), text("base.csv").splitlines()[0].split(","))
        self.assertTrue(numpy.array_equal(table["Saturated%"], 100 * self.a.array("summary/saturated")))

    def test_neurons(self):
        whole, one = self.a.neurons(), self.a.neurons(layer=2)
        self.assertEqual((len(whole), len(one)), (400, 100))
        self.assertTrue(whole.loc[[2]].equals(one))
        self.assertTrue(numpy.array_equal(whole["gate_mean"].values.reshape(4, 100), self.a.array("gate/mean")))
        self.assertEqual(int(whole["saturated"].sum()), int(self.a.array("saturation/saturated").sum()))
        self.assertEqual(list(self.a.neurons(layer=0, metrics=["max"]).columns)[:3], ["gate_max", "up_max", "ffn_max"])

    def test_extremes(self):
        extremes = self.a.extremes()
        self.assertEqual(len(extremes), 64)
        first = extremes.loc[(1, 0)]
        self.assertEqual(first["neuron"], self.a.array("extremes/neuron", 1)[0])
        low, high = (int(x) for x in self.a.array("extremes/prompt_hash", 1)[0])
        self.assertEqual(int(first["prompt"], 16), high << 64 | low)


class Refusing(unittest.TestCase):
    def bent(self, change):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        bent = shutil.copy(path("base.h5"), os.path.join(folder, "bent.h5"))
        with h5py.File(bent, "a") as f:
            change(f)
        return bent

    def refuses(self, file, words):
        with self.assertRaisesRegex(phi3sat.ArchiveError, words) as caught:
            phi3sat.open(file)
        self.assertNotIn("\n", str(caught.exception))

    def test_one_line_each(self):
        self.assertRaises(FileNotFoundError, phi3sat.open, path("none.h5"))
        self.refuses(path("base.csv"), "is no HDF5 file")
        self.refuses(self.bent(lambda f: f.attrs.update(format_version=numpy.uint64(2))), "version 2, this reads 1")
        self.refuses(self.bent(lambda f: f.attrs.update(format_version=numpy.uint64(0))), "version 0, this reads 1")
        self.refuses(self.bent(lambda f: f.attrs.update(format="x")), "no archive of phi3sat's")
        self.refuses(self.bent(lambda f: f.__delitem__("gate")), "is damaged: gate is missing")
        self.refuses(self.bent(lambda f: f.attrs.__delitem__("combine")), "is damaged: combine is missing")
        cut = self.bent(lambda f: None)
        os.truncate(cut, os.path.getsize(cut) * 3 // 4)
        self.refuses(cut, "can't be read|cut short")


if __name__ == "__main__":
    unittest.main()
