"""Stacks whose wheels require packages that the catalog does not name: chosen from an index, kept, told."""

import hashlib

from python_stack import PythonStack, wheel


class LackingPackages(PythonStack):
    def setUp(self):
        super().setUp()
        for file in (wheel("numpy", "1.26.0"), wheel("helper", "1.0"), wheel("helper", "2.0", requires=("deeper",)), wheel("helper", "3.0"),
                     wheel("deeper", "0.5"), wheel("gpulib", "7.0")):
            self.index.add(file)

    def victim(self, *requires, version="1.0", package="helper", name="1.0", **more):
        artifact = self.index.add(wheel(version=name, requires=requires))
        if version != name:
            artifact["package_version"] = name
        project = self.stack(artifact, version=version, **more)
        project.write_text(project.read_text().replace('"params": {}', f'"params": {{"package": "{package}"}}'))
        return project

    def asked_for(self, package):
        return [path for path in self.index.asked if path.strip("/") == f"simple/{package}"]

    def files(self):
        return {file.partition("-py3")[0] for file in self.documents()[-1]["artifacts"] if file.endswith(".whl")}

    def test_they_are_chosen_as_an_installer_would_and_kept(self):
        project = self.victim("helper>=1,<3; python_version >= '3'", "nowhere; python_version < '3'", "nowhere; extra == 'gpu'")
        done = self.inspect(project)
        self.assertIn("choosing what victim requires beside the stack", done.stderr)
        document = self.documents()[-1]
        self.assertEqual(document["outcome"], "ok", document["reason"])
        self.assertIn("/environments/", document["parameters"]["where"])
        self.assertEqual(self.files(), {"victim-1.0", "helper-2.0", "deeper-0.5", "numpy-1.26.0"})
        self.assertEqual(document["artifacts"]["helper-2.0-py3-none-any.whl"],
                         hashlib.sha256(self.index.files["helper-2.0-py3-none-any.whl"]).hexdigest())
        # A newer one comes out: the stack stays as it was here, and nothing is asked.
        self.index.add(wheel("helper", "2.5"))
        self.index.asked.clear()
        self.inspect(project)
        self.assertEqual(self.index.asked, [])
        self.assertIn("helper-2.0", self.files())
        self.assertEqual(self.half_built(), [])

    def test_a_label_that_names_an_extra_asks_for_it(self):
        requires = ("helper<2", "gpulib; extra == 'gpu'\nProvides-Extra: gpu")
        self.inspect(self.victim(*requires, version="1.0+gpu", package="gpulib"))
        self.assertEqual(self.files(), {"victim-1.0", "helper-1.0", "gpulib-7.0", "numpy-1.26.0"})
        self.inspect(self.victim(*requires, version="1.0+cpu"))  # names none
        self.assertEqual(self.files(), {"victim-1.0", "helper-1.0", "numpy-1.26.0"})

    def test_what_the_stack_names_is_its_own_whatever_is_required(self):
        helper = self.index.add(wheel("helper", "1.0"))
        entry = {"kind": "package", "ecosystem": "pypi", "versions": {"1.0": {"artifacts": [helper]}}}
        done = self.inspect(self.victim("helper>=3", helper=entry))
        self.assertEqual(self.documents()[-1]["outcome"], "ok")
        self.assertNotIn("choosing", done.stderr)
        self.assertEqual(self.files(), {"victim-1.0", "helper-1.0"})
        self.assertEqual(self.asked_for("numpy"), [])

    def test_the_versions_of_the_stack_hold_for_what_is_added(self):
        deeper = self.index.add(wheel("deeper", "0.4"))
        entry = {"kind": "package", "ecosystem": "pypi", "versions": {"0.4": {"artifacts": [deeper]}}}
        self.index.add(wheel("helper", "2.1", requires=("deeper>=0.5",)))  # the newest that allows 0.4 is 2.0
        self.inspect(self.victim("helper<3", deeper=entry))
        self.assertEqual(self.files(), {"victim-1.0", "helper-2.0", "deeper-0.4", "numpy-1.26.0"})

    def test_what_the_catalog_names_no_file_of_comes_from_an_index(self):
        self.index.add(wheel("torch", "2.0+cu999", requires=("helper<3",)))
        entry = {"kind": "package", "ecosystem": "pypi", "versions": {"2.0+cu999": {}}}
        self.environment["PIP_EXTRA_INDEX_URL"] = self.index.url + "/simple"  # or PyTorch's own would be asked for its builds
        self.inspect(self.victim(torch=entry, package="torch"))
        document = self.documents()[-1]
        self.assertEqual(document["outcome"], "ok", document["reason"])
        self.assertEqual(self.files(), {"victim-1.0", "torch-2.0+cu999", "helper-2.0", "deeper-0.5", "numpy-1.26.0"})

    def test_what_nobody_has_is_said(self):
        self.inspect(self.victim("nowhere>=1"), exit_code=1)
        document = self.documents()[-1]
        self.assertEqual(document["outcome"], "build_failed")
        self.assertIn("what victim requires", document["reason"])
        self.assertIn("nowhere", document["reason"])
        self.assertEqual(self.half_built(), [])
