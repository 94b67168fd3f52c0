"""Rates that were measured, against what is known of the libraries."""

from harness import BlackBox, debian_package


class Rates(BlackBox):
    def test_system_libraries_of_debian(self):
        netlib, openblas = debian_package("libblas3"), debian_package("libopenblas0-pthread")
        if not (netlib and openblas):
            self.skipTest("libblas3 and libopenblas0-pthread are not installed")
        project = self.project(catalogs=["blas.json"], requires={"blas": "*"}, hardware={"cpu": "host"},
                               pins={"scipy-openblas64": "<0", "scipy-openblas32": "<0", "mkl": "<0", "onednn-cpu-gomp": "<0",
                                     "openblas-coretype": "==auto", "threads": "==1"},
                               workload={"pi": "matmul", "params": {"m": 256, "n": 256, "k": 256, "dtype": "float32"}})
        self.stackx("inspect", project, "--rounds", "2")
        rows = {name: row for row in self.json("advise")["recommendations"] for name in row["stack"]["components"]}
        self.assertGreater(rows["debian-openblas"]["rate"]["median"], rows["netlib-blas"]["rate"]["median"])
