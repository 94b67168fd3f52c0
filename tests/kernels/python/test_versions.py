"""What is installed, and which libraries are loaded."""

import ctypes
import importlib.metadata
import sys
import unittest

import support
from stackx_pi import libraries, versions
from stackx_pi.errors import refusal
from stackx_pi.protocol import mapped_files


class Distributions(support.PiTest):
    def test_metadata_of_every_kind(self):
        self.write("a/My.Package_x-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: My.Package_x\nVersion: 1.0\n\nVersion: 9\n")
        self.write("a/old-2.egg-info/PKG-INFO", "Name: old\nVersion: 2\n")
        self.write("a/older-3.egg-info", "Name: older\nVersion: 3\n")
        self.write("a/egg-4.egg/EGG-INFO/PKG-INFO", "Name: egg\nVersion: 4\n")
        self.write("a/broken-5.dist-info/METADATA", "Name: broken\n")
        self.write("a/empty-5.dist-info/RECORD", "")
        self.write("b/old-7.dist-info/METADATA", "Name: Old\nVersion: 7\n")
        path = [str(self.scratch / "none"), str(self.scratch / "a"), str(self.scratch / "b")]
        self.assertEqual(versions.distributions(path), {"my-package-x": "1.0", "old": "2", "older": "3", "egg": "4"})

    def test_they_are_those_of_importlib(self):
        expected = {}
        for one in importlib.metadata.distributions():
            if one.metadata["Name"]:
                expected.setdefault(versions.normalised(one.metadata["Name"]), one.version)
        self.assertEqual(versions.distributions(), expected)

    def test_a_local_label_is_the_same_version(self):
        self.assertEqual(versions.agreed("2.5.1+cu124", "2.5.1"), "2.5.1")
        self.assertEqual(versions.agreed("2.5.1", "2.5.0"), "2.5.1")
        self.assertEqual(versions.agreed("2.5.1", None), "2.5.1")


class Libraries(unittest.TestCase):
    def test_mapped_files_are_this_process_own(self):
        files = mapped_files()
        self.assertEqual(len(files), len(set(files)))
        self.assertTrue(any("libc.so" in f or "libc-" in f for f in files), files)

    def test_a_function_belongs_to_the_file_that_has_it(self):
        files = mapped_files()
        libc = next(f for f in files if "libc.so" in f or "libc-" in f)
        other = next(f for f in files if "_ctypes" in f)
        self.assertIsNotNone(libraries.SharedObject(libc).function("getpid", ctypes.c_int))
        self.assertIsNone(libraries.SharedObject(other).function("getpid", ctypes.c_int))
        self.assertIsNone(libraries.SharedObject(libc).function("openblas_get_config", ctypes.c_char_p))

    def test_what_is_not_loaded_is_not_loaded_by_asking(self):
        self.assertEqual(libraries.loaded_libraries(["/nowhere/libopenblas.so"]), [])

    @support.needs_numpy
    def test_numpys_blas_says_what_threadpoolctl_would(self):
        found = libraries.loaded_libraries()
        bundled = [f for f in mapped_files() if "openblas" in f]
        self.assertEqual([one["path"] for one in found if one["kind"] == "openblas"], bundled)
        for one in found:
            if one["kind"] == "openblas":
                self.assertIn(one["version"], one["config"])
                self.assertGreaterEqual(one["threads"], 1)


class Refusals(unittest.TestCase):
    def test_the_line_that_says_so(self):
        self.assertEqual(refusal(ValueError("a\nthis is NOT supported here\nb")), "this is NOT supported here")
        self.assertEqual(refusal(NotImplementedError("")), "NotImplementedError")
        self.assertIsNone(refusal(RuntimeError("out of memory")))


if __name__ == "__main__":
    unittest.main()
