"""`stackx check --deep`: what no catalog holds is asked of the package index, here a small one."""

from python_stack import PythonStack, wheel


class Deep(PythonStack):
    def setUp(self):
        super().setUp()
        for name, version, requires in (("victim", "1.0", ()), ("victim", "2.0", ("other>=2",)), ("other", "1.0", ())):
            self.index.add(wheel(name, version, requires=requires))

    def told(self, *packages, exit_code=0):
        return " ".join(self.stackx("check", *packages, "--deep", "--hw", "zen4", "--python", "3.11", exit_code=exit_code).stdout.split())

    def test_what_the_index_has_is_judged(self):
        self.assertTrue(self.told("victim==1.0").startswith("Yes: victim==1.0 runs on "))
        self.assertTrue(self.told("victim").startswith("Yes: "), "an earlier release does")
        self.assertTrue(self.told("victim==2.0", exit_code=1).startswith("No: "), "it requires what is not there")

    def test_of_each_range_the_newest_are_known(self):
        for number in range(1, 31):  # what `below` allows lies under all that are newest
            self.index.add(wheel("lib", f"{number}.0"))
        self.index.add(wheel("below", "1.0", requires=("lib<3",)))
        self.index.add(wheel("any", "1.0", requires=("lib",)))
        self.assertTrue(self.told("below").startswith("Yes: below runs on "))
        self.assertTrue(self.told("lib<2").startswith("Yes: lib<2 runs on "))
        # found for one range, then asked for in another by what was found behind it
        self.assertTrue(self.told("any", "lib", "below").startswith("Yes: "))
        self.index.add(wheel("behind", "1.0", requires=("any", "below")))
        self.assertTrue(self.told("lib", "behind").startswith("Yes: "))

    def test_numpy_beside_a_torch_that_is_older(self):
        for version in ("1.26.4", "2.0.0", "2.3.0"):
            self.index.add(wheel("numpy", version))
        told = lambda *words, **options: " ".join(self.stackx("check", "torch==2.2.0", *words, "--deep", "--hw", "a100", "--python", "3.11", **options).stdout.split())
        for words in (("numpy",), ("numpy>=1.26",), ("numpy>=1.26,<2.1",)):
            self.assertIn('Note: torch 2.2.0 works with numpy <2 alone: where an installer takes a newer one, ask for "numpy<2", too', told(*words))
        for words in (("numpy<2",), ("numpy==1.26.4",)):
            self.assertNotIn("works with numpy", told(*words))
        self.assertTrue(told("numpy>=2", exit_code=1).startswith("No: torch 2.2.0 needs numpy <2, and numpy >=2 is asked for."))

    def test_rapids_ends_where_its_notices_say(self):
        for version in ("23.12.1", "24.2.2"):
            self.index.add(wheel("cudf_cu12", version))
        told = lambda *words, **options: " ".join(self.stackx("check", *words, "--deep", "--hw", "p100", "--python", "3.11", **options).stdout.split())
        self.assertRegex(told("cudf-cu12", exit_code=1), r"^No: cudf-cu12 24\.2\.2 has no kernels for P100 \(sm_60\).* The nearest that runs: cudf-cu12 23\.12\.1")
        self.assertRegex(told("cudf-cu12==23.12.1"), "^Yes: ")

    def test_what_it_has_not_is_told(self):
        said = self.told("nowhere")
        self.assertTrue(said.startswith("Unknown: the package index has no project nowhere."), said)
        self.assertNotIn("--deep looks", said)
        said = self.told("victim==1.0", "nowhere")
        self.assertTrue(said.startswith("Unknown: the package index has no project nowhere. Note: without nowhere: victim==1.0 runs on "), said)
        self.told("victim==2.0", "nowhere", exit_code=1)  # what is there does not run either
