"""What an API server refuses of ConfigMaps and Jobs and a schema lets pass, and what stackx promises of its own.

    faults([config_map, job])    sentences, [] if all is well

Written from pkg/apis/{batch,core}/validation/validation.go, apimachinery's resource.Quantity and util/validation of Kubernetes 1.36.
kubernetes-validate finds misspelt members and wrong types; it does not find any of these.
"""

import re

LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")  # RFC 1123
SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
NAME_PART = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
QUANTITY = re.compile(r"([+-]?)(\d+(?:\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?")
POWERS = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18} | {
    suffix + "i": 1024.0**power for power, suffix in enumerate("KMGTPE", 1)}
KEY = re.compile(r"[-._a-zA-Z0-9]{1,253}")
VARIABLE = re.compile(r"\$\$|\$\(([^)]*)\)")
FIELD = re.compile(r"metadata\.(name|namespace|uid|(labels|annotations)\['[^']+'\])|spec\.(nodeName|serviceAccountName)|status\.(podIPs?|hostIPs?)")
KIB, MIB = 1 << 10, 1 << 20


def quantity(text):
    """Its value, or None."""
    match = QUANTITY.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return None
    sign, number, suffix = match.groups()
    value = float(number) * (POWERS[suffix] if suffix in POWERS else float("1" + suffix) if suffix else 1)
    return -value if sign == "-" else value


def spec_of(job):
    return job["spec"]


def template_of(job):
    return job["spec"]["template"]


def pod_of(job):
    return job["spec"]["template"]["spec"]


def containers_of(job):
    return pod_of(job).get("initContainers", []) + pod_of(job)["containers"]


def name_faults(thing):
    name = thing["metadata"].get("name", "")
    if len(name) > 253 or not SUBDOMAIN.fullmatch(name):
        yield f"name {name!r} is no RFC 1123 subdomain"
    if thing["kind"] == "Job" and spec_of(thing).get("completionMode") == "Indexed":
        host = f"{name}-{max(spec_of(thing).get('completions', 1) - 1, 0)}"  # of the last pod
        if len(host) > 63 or not LABEL.fullmatch(host):
            yield f"the pods' host name {host!r} is no RFC 1123 label"
        if len(name) > 52:
            yield f"name {name!r} has more than 52 characters: names of pods would be cut"
    namespace = thing["metadata"].get("namespace", "default")
    if len(namespace) > 63 or not LABEL.fullmatch(namespace):
        yield f"namespace {namespace!r} is no RFC 1123 label"


def qualified(key):
    prefix, slash, name = key.rpartition("/")
    return (not slash or (len(prefix) <= 253 and SUBDOMAIN.fullmatch(prefix))) and len(name) <= 63 and NAME_PART.fullmatch(name)


def label_value(value):
    return isinstance(value, str) and len(value) <= 63 and (value == "" or NAME_PART.fullmatch(value))


def label_faults(thing):
    places = [thing["metadata"]]
    if thing["kind"] == "Job":
        places.append(template_of(thing).get("metadata", {}))
    for place in places:
        for key, value in place.get("labels", {}).items():
            if not qualified(key) or not label_value(value):
                yield f"label {key!r}: {value!r} is none"
        annotations = place.get("annotations", {})
        for key in annotations:
            if not qualified(key):
                yield f"annotation {key!r} is no name of one"
        if sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items()) > 256 * KIB:
            yield "annotations have more than 256 KiB"


def selector_faults(job):
    if job["kind"] != "Job":
        return
    for key, value in pod_of(job).get("nodeSelector", {}).items():
        if not qualified(key) or not label_value(value):
            yield f"nodeSelector {key!r}: {value!r} is none"
    affinity = pod_of(job).get("affinity", {})
    for term in affinity.get("podAntiAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", []):
        if not term.get("topologyKey"):
            yield "an anti-affinity without topologyKey"
        if term.get("labelSelector") is None:
            yield "an anti-affinity without labelSelector means no pod"
        for selector in (term.get("labelSelector") or {}, term.get("namespaceSelector") or {}):
            for one in selector.get("matchExpressions", []):
                if (one["operator"] in ("In", "NotIn")) != bool(one.get("values")):
                    yield f"matchExpressions {one['operator']} with values {one.get('values')}"
                for value in one.get("values", []):
                    if not label_value(value):
                        yield f"matchExpressions: {value!r} is no label's value"


def toleration_faults(job):
    if job["kind"] != "Job":
        return
    for one in pod_of(job).get("tolerations", []):
        if one.get("operator") == "Exists" and one.get("value"):
            yield "a toleration that Exists has no value"
        if not one.get("key") and one.get("operator") != "Exists":
            yield "a toleration without key must be of what Exists"
        if "tolerationSeconds" in one and one.get("effect") != "NoExecute":
            yield "tolerationSeconds is for NoExecute alone"


def job_faults(job):
    if job["kind"] != "Job":
        return
    spec, never = spec_of(job), pod_of(job).get("restartPolicy") == "Never"
    completions, indexed = spec.get("completions"), spec.get("completionMode") == "Indexed"
    if pod_of(job).get("restartPolicy") not in ("Never", "OnFailure"):
        yield "restartPolicy of a Job is Never or OnFailure"
    if indexed and completions is None:
        yield "an Indexed Job needs completions"
    if indexed and spec.get("parallelism", 1) > 100_000:
        yield "parallelism of an Indexed Job is at most 100000"
    if "backoffLimitPerIndex" in spec and not (indexed and never):
        yield "backoffLimitPerIndex needs completionMode Indexed and restartPolicy Never"
    if "maxFailedIndexes" in spec and "backoffLimitPerIndex" not in spec:
        yield "maxFailedIndexes needs backoffLimitPerIndex"
    if "backoffLimitPerIndex" in spec and (completions or 0) > 100_000 and (
            spec.get("maxFailedIndexes", 1 << 31) > 10_000 or spec.get("parallelism", 1) > 10_000):
        yield "more than 100000 completions need maxFailedIndexes and parallelism of at most 10000"
    if "podFailurePolicy" in spec and not never:
        yield "podFailurePolicy needs restartPolicy Never"
    if "podFailurePolicy" in spec and spec.get("podReplacementPolicy", "Failed") != "Failed":
        yield "podFailurePolicy forces podReplacementPolicy Failed"
    if spec.get("podReplacementPolicy", "Failed") not in ("Failed", "TerminatingOrFailed"):
        yield f"podReplacementPolicy {spec['podReplacementPolicy']!r} is none"
    for place, name in ((spec, "completions"), (spec, "parallelism"), (spec, "backoffLimitPerIndex"), (spec, "ttlSecondsAfterFinished"),
                        (pod_of(job), "terminationGracePeriodSeconds")):
        if place.get(name, 0) < 0:
            yield f"{name} is negative"


def resource_faults(job):
    if job["kind"] != "Job":
        return
    for container in containers_of(job):
        resources = container.get("resources", {})
        for side in ("requests", "limits"):
            for name, amount in resources.get(side, {}).items():
                value = quantity(amount)
                if value is None or value <= 0:
                    yield f"{side}: {name} {amount!r} is no quantity"
                elif ("/" in name or name == "cpu") and value != int(value):  # of CPUs our own rule
                    yield f"{side}: {name} {amount!r} is not whole"
        if resources.get("requests") != resources.get("limits") or not {"cpu", "memory"} <= set(resources.get("limits", {})):
            yield f"container {container['name']}: requests and limits differ or lack cpu or memory: not Guaranteed"


def config_map_faults(thing):
    if thing["kind"] != "ConfigMap":
        return
    data, binary = thing.get("data", {}), thing.get("binaryData", {})
    for key in (*data, *binary):
        if not KEY.fullmatch(key) or key == "." or key.startswith(".."):
            yield f"ConfigMap: {key!r} is no key"
    if set(data) & set(binary):
        yield "ConfigMap: a key is in data and in binaryData"
    if sum(len(value.encode()) for value in data.values()) + sum(len(value) for value in binary.values()) > MIB:
        yield "ConfigMap: more than 1 MiB"


def mount_faults(job):
    if job["kind"] != "Job":
        return
    names = [volume["name"] for volume in pod_of(job).get("volumes", [])]
    if len(set(names)) != len(names) or not all(LABEL.fullmatch(name) and len(name) <= 63 for name in names):
        yield f"volumes {names}: two have one name, or one that is no RFC 1123 label"
    for volume in pod_of(job).get("volumes", []):
        if len(volume) != 2:
            yield f"volume {volume['name']} has {len(volume) - 1} sources, not 1"
        paths = [item["path"] for item in (volume.get("configMap") or {}).get("items", [])]
        if len(set(paths)) != len(paths) or any(path.startswith("/") or ".." in path.split("/") for path in paths):
            yield f"volume {volume['name']}: paths that leave it, or one twice"
    for container in containers_of(job):
        mounts = container.get("volumeMounts", [])
        for mount in mounts:
            if mount["name"] not in names:
                yield f"mount {mount['mountPath']}: no volume {mount['name']}"
            if not mount["mountPath"].startswith("/") or ":" in mount["mountPath"]:
                yield f"mount {mount['mountPath']!r}: no path for one"
        if len({mount["mountPath"].rstrip("/") for mount in mounts}) != len(mounts):
            yield "two mounts at one path"


def variable_faults(job):
    if job["kind"] != "Job":
        return
    for container in containers_of(job):
        defined = set()
        for one in container.get("env", []):
            defined.add(one["name"])
            if not re.fullmatch(r"[-._a-zA-Z][-._a-zA-Z0-9]*", one["name"]) or ("value" in one) == ("valueFrom" in one):
                yield f"env {one['name']!r}: no name, or no single value"
            field = one.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath")
            if field is not None and not FIELD.fullmatch(field):
                yield f"env {one['name']}: {field!r} is no field of a pod"
        for word in container.get("command", []) + container.get("args", []):
            for match in VARIABLE.finditer(word):
                if match[1] is not None and match[1] not in defined:
                    yield f"command: $({match[1]}) is not defined in env"


def user_faults(job):
    """An image's own user is root: the kubelet refuses it under runAsNonRoot, after the Job was accepted."""
    if job["kind"] != "Job":
        return
    context = pod_of(job).get("securityContext", {})
    if context.get("runAsNonRoot") and not context.get("runAsUser"):
        yield "runAsNonRoot without a runAsUser that is not 0"


REFUSED = (name_faults, label_faults, selector_faults, toleration_faults, job_faults, resource_faults, config_map_faults, mount_faults)
RULES = (*REFUSED, variable_faults, user_faults)  # with what an API server takes, and what is wrong nevertheless


def between_faults(documents):
    """A Job's ConfigMap is beside it, and has the keys that are laid out."""
    maps = {(one["metadata"].get("namespace"), one["metadata"]["name"]): one for one in documents if one["kind"] == "ConfigMap"}
    for job in (one for one in documents if one["kind"] == "Job"):
        for volume in pod_of(job).get("volumes", []):
            if "configMap" not in volume:
                continue
            found = maps.get((job["metadata"].get("namespace"), volume["configMap"]["name"]))
            if found is None:
                yield f"volume {volume['name']}: no ConfigMap {volume['configMap']['name']}"
                continue
            for item in volume["configMap"].get("items", []):
                if item["key"] not in found.get("data", {}):
                    yield f"volume {volume['name']}: the ConfigMap has no key {item['key']!r}"


def faults(documents):
    return [fault for one in documents for rule in RULES for fault in rule(one)] + list(between_faults(documents))


def not_restricted(job):
    """What the restricted Pod Security Standard has against it (of what stackx writes: host paths, users, capabilities, seccomp)."""
    pod = pod_of(job)
    context = pod.get("securityContext", {})
    if not context.get("runAsNonRoot"):
        yield "runAsNonRoot"
    if context.get("seccompProfile", {}).get("type") not in ("RuntimeDefault", "Localhost"):
        yield "seccompProfile"
    for container in containers_of(job):
        own = container.get("securityContext", {})
        if own.get("allowPrivilegeEscalation") is not False:
            yield "allowPrivilegeEscalation"
        if own.get("capabilities", {}).get("drop") != ["ALL"]:
            yield "capabilities"
    allowed = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}
    for volume in pod.get("volumes", []):
        if set(volume) - {"name"} - allowed:
            yield "volume " + volume["name"]
