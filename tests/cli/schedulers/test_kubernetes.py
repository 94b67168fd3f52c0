"""Manifests for Kubernetes are what an API server takes: the golden ones of tests/campaigns, by a schema and by rules.

kubernetes-validate lets pass what API servers refuse; so every rule of kubernetes_rules has a
manifest here that breaks it, and each must be found."""

import copy
import pathlib
import sys
import unittest

import kubernetes_rules as rules

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "campaigns" / "cluster" / "kubernetes" / "golden"
VERSIONS = ("1.29", "1.32", "1.36")


def documents(file):
    try:
        import yaml
    except ImportError:
        raise unittest.SkipTest(f"no PyYAML in {sys.executable}")
    return list(yaml.safe_load_all(file.read_text()))


def at(thing, path):
    for key in path:
        thing = thing[key]
    return thing


class Manifests(unittest.TestCase):
    def setUp(self):
        self.files = sorted(GOLDEN.glob("*.yaml"))
        self.assertGreaterEqual(len(self.files), 4)

    def test_a_schema_knows_every_member(self):
        try:
            import kubernetes_validate
        except ImportError:
            self.skipTest(f"no kubernetes-validate in {sys.executable}")
        for file in self.files:
            for document in documents(file):
                for version in VERSIONS:
                    kubernetes_validate.validate(document, version, strict=True)
        document["spec"]["paralelism"] = 1
        with self.assertRaises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(document, VERSIONS[0], strict=True)

    def test_rules(self):
        for file in self.files:
            self.assertEqual(rules.faults(documents(file)), [], file.name)

    def test_restricted_namespaces_let_them_in(self):
        for file in self.files:
            self.assertEqual(list(rules.not_restricted(documents(file)[-1])), [], file.name)

    def test_texts_come_back_as_they_were(self):
        config_map, job = documents(GOLDEN / "gpu-volume.yaml")
        self.assertEqual(config_map["data"]["campaign.json"], '{"campaign": true}\n')
        self.assertEqual(job["spec"]["template"]["spec"]["containers"][0]["command"][-1], "/shared/stackx/3f2a09c1d2e4")


POD = ("spec", "template", "spec")
BLOCK = (*POD, "containers", 0)
# What is broken, and what must be said: (which document, where, key, value or None to remove it, words).
BROKEN = [
    (1, ("metadata",), "name", "Stackx-0", "RFC 1123 subdomain"),
    (1, ("metadata",), "name", "s" * 53, "more than 52"),
    (1, ("metadata",), "name", "s" * 62, "host name"),
    (1, ("metadata",), "namespace", "a.b", "namespace"),
    (1, ("metadata", "labels"), "stackx.dev/target", "-h100", "label 'stackx.dev/target'"),
    (1, ("metadata", "labels"), "stackx.dev/target", "x" * 64, "label 'stackx.dev/target'"),
    (1, ("spec", "template", "metadata", "labels"), "a/b/c", "x", "label 'a/b/c'"),
    (1, ("metadata", "annotations"), "stackx.dev/blocks", "1," * 140_000, "256 KiB"),
    (1, ("metadata", "annotations"), "a b", "", "annotation 'a b'"),
    (1, POD, "nodeSelector", {"gpu": "a b"}, "nodeSelector"),
    (1, (*POD, "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution", 0), "labelSelector", None, "means no pod"),
    (1, (*POD, "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution", 0), "topologyKey", None, "topologyKey"),
    (1, (*POD, "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution", 0, "namespaceSelector", "matchExpressions", 0),
     "values", [], "NotIn with values []"),
    (1, (*POD, "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution", 0, "namespaceSelector", "matchExpressions", 0),
     "values", ["a b"], "no label's value"),
    (1, (*POD, "tolerations", 0), "effect", "NoSchedule", "NoExecute alone"),
    (1, (*POD, "tolerations", 0), "value", "x", "has no value"),
    (1, ("spec",), "completionMode", "NonIndexed", "backoffLimitPerIndex needs"),
    (1, ("spec",), "completions", None, "needs completions"),
    (1, ("spec",), "completions", 100_001, "more than 100000 completions"),
    (1, ("spec",), "parallelism", 100_001, "parallelism of an Indexed Job"),
    (1, ("spec",), "parallelism", -1, "parallelism is negative"),
    (1, ("spec",), "podFailurePolicy", {"rules": []}, "forces podReplacementPolicy Failed"),
    (1, ("spec",), "podReplacementPolicy", "Always", "podReplacementPolicy 'Always'"),
    (1, POD, "restartPolicy", "OnFailure", "restartPolicy Never"),
    (1, POD, "restartPolicy", "Always", "Never or OnFailure"),
    (1, (*BLOCK, "resources", "limits"), "memory", "5GiB", "no quantity"),
    (1, (*BLOCK, "resources", "limits"), "memory", "5 Gi", "no quantity"),
    (1, (*BLOCK, "resources", "limits"), "cpu", "1500m", "not whole"),
    (1, (*BLOCK, "resources", "limits"), "nvidia.com/gpu", "0.5", "not whole"),
    (1, (*BLOCK, "resources", "limits"), "nvidia.com/gpu", "2", "Guaranteed"),
    (1, (*BLOCK, "resources"), "requests", {"cpu": "6"}, "Guaranteed"),
    (0, ("data",), "a/b", "", "no key"),
    (0, ("data",), "..a", "", "no key"),
    (0, ("data",), "campaign.json", "x" * (1 << 20), "1 MiB"),
    (0, (), "binaryData", {"campaign.json": ""}, "in binaryData"),
    (0, ("data",), "h100.blas.json", None, "no key 'h100.blas.json'"),
    (0, ("metadata",), "name", "another", "no ConfigMap"),
    (1, (*BLOCK, "volumeMounts", 1), "name", "other", "no volume other"),
    (1, (*BLOCK, "volumeMounts", 1), "mountPath", "/a:b", "no path"),
    (1, (*BLOCK, "volumeMounts", 1), "mountPath", "/tmp/", "two mounts"),
    (1, (*POD, "volumes", 0), "name", "campaign", "one name"),
    (1, (*POD, "volumes", 0), "hostPath", {"path": "/"}, "2 sources"),
    (1, (*POD, "volumes", 1, "configMap", "items", 0), "path", "../x", "leave it"),
    (1, (*BLOCK, "env", 1), "name", "POD_ID", "$(POD_UID) is not defined"),
    (1, (*BLOCK, "env", 0, "valueFrom", "fieldRef"), "fieldPath", "metadata.annotation['x']", "no field"),
    (1, (*BLOCK, "env", 0), "value", "x", "no single value"),
    (1, (*POD, "securityContext"), "runAsUser", None, "runAsNonRoot"),
]


class Broken(unittest.TestCase):
    """A rule that nothing breaks is none."""

    def test_each_fault_is_found(self):
        good = documents(GOLDEN / "gpu-volume.yaml")
        for which, path, key, value, words in BROKEN:
            bad = copy.deepcopy(good)
            place = at(bad[which], path)
            if value is None:
                del place[key]
            else:
                place[key] = value
            found = rules.faults(bad)
            self.assertTrue(any(words in one for one in found), (path, key, value, found))

    def test_more_than_one_change(self):
        good = documents(GOLDEN / "gpu-volume.yaml")
        bad = copy.deepcopy(good)
        del bad[1]["spec"]["backoffLimitPerIndex"]
        bad[1]["spec"]["maxFailedIndexes"] = 1
        self.assertIn("maxFailedIndexes needs backoffLimitPerIndex", rules.faults(bad))
        bad = copy.deepcopy(good)
        bad[1]["spec"] |= {"podFailurePolicy": {"rules": []}, "podReplacementPolicy": "Failed"}
        bad[1]["spec"]["template"]["spec"]["restartPolicy"] = "OnFailure"
        self.assertIn("podFailurePolicy needs restartPolicy Never", rules.faults(bad))
        bad = copy.deepcopy(good)
        bad[1]["spec"]["template"]["spec"]["tolerations"] = [{"effect": "NoSchedule"}]
        self.assertIn("a toleration without key must be of what Exists", rules.faults(bad))

    def test_restricted_namespaces(self):
        good = documents(GOLDEN / "gpu-volume.yaml")[1]
        for path, key, value, words in [((*POD, "securityContext"), "runAsNonRoot", False, "runAsNonRoot"),
                                        ((*POD, "securityContext"), "seccompProfile", {"type": "Unconfined"}, "seccompProfile"),
                                        ((*BLOCK, "securityContext"), "allowPrivilegeEscalation", True, "allowPrivilegeEscalation"),
                                        ((*BLOCK, "securityContext"), "capabilities", {}, "capabilities"),
                                        (POD, "volumes", [{"name": "x", "hostPath": {}}], "volume x")]:
            bad = copy.deepcopy(good)
            at(bad, path)[key] = value
            self.assertEqual(list(rules.not_restricted(bad)), [words])

    def test_quantities(self):
        for text, value in [("1", 1), ("1500m", 1.5), ("4Gi", 4 * 1024**3), ("1e3", 1000), ("2E", 2e18), ("1.5k", 1500), (".5", 0.5)]:
            self.assertEqual(rules.quantity(text), value)
        for text in ("", "Gi", "4GiB", "4 Gi", "1_000", "0x10", "1e", "4gi", 4):
            self.assertIsNone(rules.quantity(text), text)
