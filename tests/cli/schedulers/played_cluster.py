"""A cluster that is played: objects in a directory, what controllers make of them, pods as processes. See kubectl_stub."""

import contextlib
import datetime
import fcntl
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import uuid

SETTINGS = {
    "nodes": ["node-1", "node-2"],
    "away": False,              # the API server: every answer is that it cannot be reached
    "slow": 0,                  # seconds before every answer
    "forbidden": [],            # "create jobs.batch", "list pods", ...: verbs that this user may not
    "said": "",                 # kubectl says this on stderr and exits 1
    "image": "",                # "ImagePullBackOff", "CreateContainerConfigError", ...: pods do not start because of it
    "unschedulable": "",        # the scheduler's message: pods get no node
    "quota": False,             # pods are not made at all
    "success_criteria_only": False,  # Jobs never get their Complete
    "contexts": [],             # that there are; [] for any
    "namespaces": [],           # likewise
    "grace": 5,                 # seconds that a pod has to end itself
    "pod_env": {},
    "program": "stackx",
}
INDEX = "batch.kubernetes.io/job-completion-index"
KINDS = {"job": "Job", "jobs": "Job", "jobs.batch": "Job", "pod": "Pod", "pods": "Pod", "configmap": "ConfigMap", "configmaps": "ConfigMap",
         "service": "Service", "services": "Service"}
kubelets = []  # that this process has started: they outlive a kubectl
RESOURCES = {"Job": "jobs.batch", "Pod": "pods", "ConfigMap": "configmaps", "Service": "services"}


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def indices(text):
    found = set()
    for part in filter(None, (text or "").split(",")):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def index_text(numbers):
    """As the Job controller writes them: a dash from three on."""
    parts, numbers = [], sorted(numbers)
    while numbers:
        end = 1
        while end < len(numbers) and numbers[end] == numbers[end - 1] + 1:
            end += 1
        run, numbers = numbers[:end], numbers[end:]
        parts += [f"{run[0]}-{run[-1]}"] if end > 2 else map(str, run)
    return ",".join(parts)


def merged(target, patch):
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        result[key] = merged(result.get(key), value)
        if value is None:
            del result[key]
    return result


def is_live(pod):
    return pod["status"]["phase"] in ("Pending", "Running")


def set_condition(thing, **condition):
    old = [one for one in thing["status"].get("conditions", []) if one["type"] != condition["type"]]
    thing["status"]["conditions"] = old + [{"status": "True", "lastTransitionTime": now(), **condition}]


def has(thing, condition):
    return any(one["type"] == condition and one["status"] == "True" for one in thing["status"].get("conditions", []))


class Api:
    """The objects, under a lock, and what controllers make of them."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.objects_at = self.directory / "objects"
        self.objects_at.mkdir(parents=True, exist_ok=True)

    @contextlib.contextmanager
    def locked(self):
        with open(self.directory / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def settings(self):
        file = self.directory / "settings.json"
        return SETTINGS | (json.loads(file.read_text()) if file.exists() else {})

    def path(self, thing):
        meta = thing["metadata"]
        return self.objects_at / f"{thing['kind']}+{meta['namespace']}+{meta['name']}.json"

    def put(self, thing):
        part = self.path(thing).with_suffix(".part")
        part.write_text(json.dumps(thing))
        part.rename(self.path(thing))

    def remove(self, thing):
        self.path(thing).unlink(missing_ok=True)

    def all(self, kind, namespace=None, labels=()):
        things = [json.loads(file.read_text()) for file in sorted(self.objects_at.glob(f"{kind}+{namespace or '*'}+*.json"))]
        return [one for one in things if all(one["metadata"].get("labels", {}).get(key) == value for key, value in labels)]

    def get(self, kind, namespace, name):
        return next((one for one in self.all(kind, namespace) if one["metadata"]["name"] == name), None)

    def place_of(self, pod):
        return self.directory / "pods" / pod["metadata"]["uid"]

    def create(self, thing):
        thing["metadata"] |= {"uid": str(uuid.uuid4()), "creationTimestamp": now(), "resourceVersion": "1"}
        if thing["kind"] == "Job":
            thing["status"] = {}
        self.put(thing)

    # Controllers: called after whatever happened, under the lock.

    def settle(self):
        lost = self.lost_nodes()
        for job in self.all("Job"):
            if not job["metadata"].get("deletionTimestamp"):
                self.settle_job(job)
        owners = {one["metadata"]["uid"] for one in self.all("Job")}
        for pod in self.all("Pod"):
            if pod["metadata"]["ownerReferences"][0]["uid"] not in owners and not pod["metadata"].get("deletionTimestamp"):
                self.end_pod(pod)
        for one in self.all("ConfigMap") + self.all("Service"):
            if any(owner["uid"] not in owners for owner in one["metadata"].get("ownerReferences", [])):
                self.remove(one)
        if (self.directory / "stopped").exists():
            return
        for pod in sorted(self.all("Pod"), key=lambda one: one["metadata"]["creationTimestamp"]):
            if pod["status"]["phase"] == "Pending" and not pod["metadata"].get("deletionTimestamp"):
                self.start_pod(pod, lost)

    def lost_nodes(self):
        return {file.name for file in (self.directory / "lost").glob("*")} if (self.directory / "lost").exists() else set()

    def pods_of(self, job):
        return [pod for pod in self.all("Pod", job["metadata"]["namespace"]) if pod["metadata"]["ownerReferences"][0]["uid"] == job["metadata"]["uid"]]

    def settle_job(self, job):
        status, spec, pods = job["status"], job["spec"], self.pods_of(job)
        done, failed = indices(status.get("completedIndexes")), indices(status.get("failedIndexes"))
        for pod in pods:
            counted = self.place_of(pod) / "counted"
            index = int(pod["metadata"]["annotations"][INDEX])
            if pod["status"]["phase"] == "Succeeded":
                done.add(index)
            elif (pod["status"]["phase"] == "Failed" or pod["metadata"].get("deletionTimestamp")) and not counted.exists() and not spec.get("suspend"):
                counted.touch()
                counts = self.directory / "failures" / job["metadata"]["uid"] / str(index)
                counts.parent.mkdir(parents=True, exist_ok=True)
                counts.write_text(str(int(counts.read_text()) + 1 if counts.exists() else 1))
                if int(counts.read_text()) > spec.get("backoffLimitPerIndex", 6):
                    failed.add(index)
        status |= {"completedIndexes": index_text(done), "succeeded": len(done)}
        if "backoffLimitPerIndex" in spec:
            status["failedIndexes"] = index_text(failed - done)
        active = [pod for pod in pods if is_live(pod) and not pod["metadata"].get("deletionTimestamp")]
        left = [index for index in range(spec["completions"]) if index not in done | failed]
        if spec.get("suspend"):
            set_condition(job, type="Suspended", reason="JobSuspended", message="Job suspended")
            for pod in active:
                self.end_pod(pod)
        elif not left:
            self.finish(job, failed - done, any(is_live(pod) for pod in pods))
        elif not self.settings()["quota"]:
            status["conditions"] = [one for one in status.get("conditions", []) if one["type"] != "Suspended"]
            taken = {int(pod["metadata"]["annotations"][INDEX]) for pod in active}
            for index in [one for one in left if one not in taken][:max(0, spec["parallelism"] - len(active))]:
                self.create_pod(job, index)
        status["active"] = sum(is_live(pod) for pod in self.pods_of(job))
        self.put(job)

    def finish(self, job, failed, pods_left):
        if failed:
            reason = {"reason": "FailedIndexes", "message": "Job has failed indexes"}
            set_condition(job, type="FailureTarget", **reason)
            if not pods_left:
                set_condition(job, type="Failed", **reason)
            return
        set_condition(job, type="SuccessCriteriaMet", reason="CompletionsReached", message="Reached expected number of succeeded pods")
        if not pods_left and not self.settings()["success_criteria_only"]:
            set_condition(job, type="Complete", reason="CompletionsReached", message="Reached expected number of succeeded pods")

    def create_pod(self, job, index):
        meta, template = job["metadata"], job["spec"]["template"]
        name = f"{meta['name']}-{index}-{uuid.uuid4().hex[:5]}"
        own = {"batch.kubernetes.io/job-name": meta["name"], "job-name": meta["name"], "batch.kubernetes.io/controller-uid": meta["uid"], INDEX: str(index)}
        pod = {"apiVersion": "v1", "kind": "Pod", "spec": json.loads(json.dumps(template["spec"])), "status": {"phase": "Pending"},
               "metadata": {"name": name, "generateName": f"{meta['name']}-{index}-", "namespace": meta["namespace"],
                            "labels": template["metadata"].get("labels", {}) | own,
                            "annotations": template["metadata"].get("annotations", {}) | {INDEX: str(index)},
                            "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": meta["name"], "uid": meta["uid"], "controller": True}]}}
        self.create(pod)
        self.place_of(pod).mkdir(parents=True)

    # The scheduler and the kubelets.

    def start_pod(self, pod, lost):
        settings = self.settings()
        taken = {one["spec"].get("nodeName") for one in self.all("Pod") if is_live(one)} if "affinity" in pod["spec"] else set()
        free = [node for node in settings["nodes"] if node not in lost and node not in taken]
        message = settings["unschedulable"]
        if not free and not message:
            message = f"0/{len(settings['nodes'])} nodes are available: {len(settings['nodes'])} node(s) didn't match pod anti-affinity rules."
        if message and "nodeName" not in pod["spec"]:
            set_condition(pod, type="PodScheduled", status="False", reason="Unschedulable", message=message)
            return self.put(pod)
        if "nodeName" not in pod["spec"]:
            pod["spec"]["nodeName"] = free[0]
            set_condition(pod, type="PodScheduled")
        name = pod["spec"]["containers"][0]["name"]
        maps = [volume["configMap"]["name"] for volume in pod["spec"].get("volumes", []) if "configMap" in volume]
        here = all(self.get("ConfigMap", pod["metadata"]["namespace"], one) for one in maps)
        waiting = settings["image"] or ("" if here else "ContainerCreating")
        if waiting:
            message = {} if waiting == "ContainerCreating" else {"message": f"played: {waiting}"}
            pod["status"]["containerStatuses"] = [{"name": name, "ready": False, "restartCount": 0, "state": {"waiting": {"reason": waiting} | message}}]
            return self.put(pod)
        pod["status"] |= {"phase": "Running", "startTime": now(),
                          "containerStatuses": [{"name": name, "ready": True, "restartCount": 0, "state": {"running": {"startedAt": now()}}}]}
        self.put(pod)
        with open(self.place_of(pod) / "kubelet.log", "w") as log, open(self.directory / "kubelets", "w") as alive:
            fcntl.flock(alive, fcntl.LOCK_SH)  # the kubelet's as long as it lives
            kubelets[:] = [one for one in kubelets if one.poll() is None]
            kubelets.append(subprocess.Popen(
                [sys.executable, str(pathlib.Path(__file__).resolve()), str(self.directory), pod["metadata"]["namespace"], pod["metadata"]["name"]],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=[alive.fileno()], start_new_session=True, cwd="/"))

    def end_pod(self, pod, **condition):
        """Deletes it, as the API does: it gets a time, its process a SIGTERM, and its object goes when that has ended."""
        grace = self.settings()["grace"]
        until = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=grace)
        pod["metadata"]["deletionTimestamp"] = until.strftime("%Y-%m-%dT%H:%M:%SZ")
        if condition:
            set_condition(pod, type="DisruptionTarget", **condition)
        self.put(pod)
        if pod["status"]["phase"] != "Running":
            self.remove(pod)
        elif pod["spec"].get("nodeName") not in self.lost_nodes():
            (self.place_of(pod) / "end").write_text(str(time.time() + grace))

    def ended(self, pod, code):
        """The kubelet says how its pod ended."""
        if pod["metadata"].get("deletionTimestamp") and not self.keeps_object(pod):
            pod["status"]["phase"] = "Failed" if code else "Succeeded"
            self.put(pod)
            job = self.get("Job", pod["metadata"]["namespace"], pod["metadata"]["labels"]["job-name"])
            if job is not None:
                self.settle_job(job)
            return self.remove(pod)
        reason = "Completed" if code == 0 else "OOMKilled" if (self.place_of(pod) / "oom").exists() else "Error"
        pod["status"]["phase"] = "Failed" if code or "reason" in pod["status"] else "Succeeded"
        pod["status"]["containerStatuses"][0] |= {"ready": False, "state": {"terminated": {"exitCode": code, "reason": reason, "finishedAt": now()}}}
        self.put(pod)

    def keeps_object(self, pod):
        return "reason" in pod["status"]  # evicted by its kubelet: the object stays, Failed


# What a container's process gets.

def value_of(pod, one, place):
    if "value" in one:
        return one["value"]
    field = one["valueFrom"]["fieldRef"]["fieldPath"]
    match = re.fullmatch(r"metadata\.(labels|annotations)\['([^']+)'\]", field)
    if match:
        return pod["metadata"].get(match[1], {}).get(match[2], "")
    node = pod
    for key in field.split("."):
        node = node[key]
    return node


def expanded(text, env):
    return re.sub(r"\$\$|\$\(([^)]*)\)", lambda match: "$" if match[1] is None else env.get(match[1], match[0]), text)


def below(path, mount):
    return path == mount or path.startswith(mount.rstrip("/") + "/")


def command_of(api, pod):
    """(argv, environment) with paths as they are on this machine."""
    place, container, settings = api.place_of(pod), pod["spec"]["containers"][0], api.settings()
    volumes, here = {one["name"]: one for one in pod["spec"].get("volumes", [])}, {}
    for mount in container.get("volumeMounts", []):
        volume, copy = volumes[mount["name"]], place / mount["name"]
        if "configMap" in volume:
            data = api.get("ConfigMap", pod["metadata"]["namespace"], volume["configMap"]["name"])["data"]
            for item in volume["configMap"].get("items") or [{"key": key, "path": key} for key in data]:
                (copy / item["path"]).parent.mkdir(parents=True, exist_ok=True)
                (copy / item["path"]).write_text(data[item["key"]])
            here[mount["mountPath"]] = copy
        elif "emptyDir" in volume:
            copy.mkdir()
            here[mount["mountPath"]] = copy
        else:
            here[mount["mountPath"]] = pathlib.Path(mount["mountPath"])

    def local(text):
        mounts = [mount for mount in here if below(text, mount)]
        if not mounts:
            return text
        mount = max(mounts, key=len)
        return str(here[mount]) + text[len(mount.rstrip("/")):]

    def named(text):
        """The name that a headless Service gives to a pod of its Job, and a port of its own: all are this machine."""
        job, domain = pod["metadata"]["labels"]["job-name"], pod["spec"].get("subdomain")
        if not domain or not api.get("Service", pod["metadata"]["namespace"], domain):
            return text
        return re.sub(rf"{re.escape(job)}-[*0-9]+\.{re.escape(domain)}:\d+", lambda _: f"127.0.0.1:{port_of(api, job)}", text)

    env = {"JOB_COMPLETION_INDEX": pod["metadata"]["annotations"][INDEX]}
    for one in container.get("env", []):
        env[one["name"]] = expanded(value_of(pod, one, place), env)
    argv = [named(local(expanded(word, env))) for word in container.get("command", []) + container.get("args", [])]
    if argv[0] == "stackx":
        argv[0] = settings["program"]
    env = {name: local(value) for name, value in env.items()}
    return argv, {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TMPDIR": local("/tmp")} | env | settings["pod_env"]


def port_of(api, job):
    """Free when it is first asked for."""
    file = api.directory / f"port-of-{job}"
    if not file.exists():
        with socket.socket() as one:
            one.bind(("", 0))
            file.write_text(str(one.getsockname()[1]))
    return file.read_text()


def kubelet(directory, namespace, name):
    """Runs one pod to its end, and says how that was unless its node is lost."""
    api = Api(directory)
    with api.locked():
        pod = api.get("Pod", namespace, name)
        if pod is None or (api.directory / "stopped").exists():
            return
        place = api.place_of(pod)
        argv, env = command_of(api, pod)
        with open(place / "log", "w") as log:
            process = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd="/", start_new_session=True)
        (place / "begun").write_text(str(process.pid))
    told = False
    while process.poll() is None:
        if (place / "end").exists() and not told:
            process.terminate()
            told = True
        if told and time.time() > float((place / "end").read_text() or 0):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    code = process.returncode if process.returncode >= 0 else 128 - process.returncode
    (place / "code").write_text(str(code))
    with api.locked():
        pod = api.get("Pod", namespace, name)
        if pod is not None and pod["spec"]["nodeName"] not in api.lost_nodes():
            api.ended(pod, code)
        api.settle()


if __name__ == "__main__":
    kubelet(*sys.argv[1:])
