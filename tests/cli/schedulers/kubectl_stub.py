"""A kubectl that plays a cluster: objects in a directory, pods as real processes of this machine, and misfortune on demand.

    cluster = kubectl_stub.Cluster(directory, program=STACKX)      # makes directory/bin/kubectl
    env = cluster.environment(os.environ)                          # PATH and $KUBECTL_STUB, for the stackx under test
    cluster.set(nodes=["n1", "n2"], away=True)                     # played_cluster.SETTINGS; what is not named stays
    cluster.pods(block=3), cluster.job(), cluster.objects("ConfigMap")
    cluster.lose_node("n1")                  # a network cut: its pods go on as zombies, their indices start elsewhere
    cluster.lose_node("n1", power=False)     # no power: its pods are killed, and nobody says so
    cluster.node_back("n1")                  # its zombies end, and their objects go
    cluster.evict(pod), cluster.preempt(pod), cluster.play_success_criteria_only()
    cluster.until(lambda: ...), cluster.stop()                     # stop kills what is left: addCleanup(cluster.stop)

What it has of Kubernetes: Indexed Jobs with retries of an index, parallelism, suspend, conditions; one pod a node, where its
anti-affinity says so; ConfigMaps at mounted paths, $(VARIABLES), fields as env; terminating pods; garbage collection by owner; headless
Services, by whose names a Job's pods find this machine (one block at a time).
Objects are checked as API servers do (kubernetes_rules). A pod's command gets the container's env and $PATH, nothing else but
`pod_env`; argv[0] "stackx" is `program`; a path below a ConfigMap's mount is a copy of it, one below a volume's mount (the
spool) is used as it is, and values of env below an emptyDir's mount lie in the pod's own directory.
What it has not: times (restarts at once, `grace` seconds to end), resources, images, quotas by amount, node selectors."""

import contextlib
import fcntl
import json
import os
import pathlib
import signal
import sys
import time

import kubernetes_rules
from played_cluster import INDEX, KINDS, RESOURCES, SETTINGS, Api, is_live, merged, set_condition


class Refused(Exception):
    """What kubectl prints before it exits 1."""


def refuse_unless_allowed(settings, verb, kind, namespace):
    resource = RESOURCES[kind]
    if f"{verb} {resource}" in settings["forbidden"]:
        group = "batch" if kind == "Job" else ""
        raise Refused(f'Error from server (Forbidden): {resource} is forbidden: User "tester" cannot {verb} resource "{resource.split(".")[0]}" '
                      f'in API group "{group}" in the namespace "{namespace}"')


def create(api, file, namespace, again):
    import yaml
    refused, said = [], []
    for thing in yaml.safe_load_all(pathlib.Path(file).read_text()):
        meta = thing["metadata"]
        meta.setdefault("namespace", namespace)
        words = f'{RESOURCES[thing["kind"]]} "{meta["name"]}"'
        spaces = api.settings()["namespaces"]
        try:
            refuse_unless_allowed(api.settings(), "create", thing["kind"], meta["namespace"])
            if spaces and meta["namespace"] not in spaces:
                raise Refused(f'Error from server (NotFound): error when creating "{file}": namespaces "{meta["namespace"]}" not found')
            wrong = [fault for rule in kubernetes_rules.REFUSED for fault in rule(thing)]
            if wrong:
                raise Refused(f'The {thing["kind"]} "{meta["name"]}" is invalid: {"; ".join(wrong)}')
            if api.get(thing["kind"], meta["namespace"], meta["name"]):
                if not again:
                    raise Refused(f'Error from server (AlreadyExists): error when creating "{file}": {words} already exists')
                said.append(words.replace(' "', "/").strip('"') + " unchanged")
                continue
            api.create(thing)
            said.append(words.replace(' "', "/").strip('"') + " created")
        except Refused as error:
            refused.append(str(error))
    api.settle()
    print("\n".join(said))
    if refused:
        raise Refused("\n".join(refused))


def chosen(api, options, words, verb):
    """What the words name: TYPE[,TYPE] [NAME], with a selector."""
    namespace, found = options["namespace"], []
    labels = [tuple(one.split("=", 1)) for one in filter(None, options.get("selector", "").split(","))]
    for word in words[0].split(","):
        kind = KINDS[word]
        refuse_unless_allowed(api.settings(), verb, kind, namespace)
        things = api.all(kind, namespace, labels)
        if len(words) > 1:
            things = [one for one in things if one["metadata"]["name"] == words[1]]
            if not things:
                raise Refused(f'Error from server (NotFound): {word} "{words[1]}" not found')
        found += things
    return found


def show(things, output, single):
    if output == "json":
        print(json.dumps(things[0] if single else {"apiVersion": "v1", "kind": "List", "items": things, "metadata": {"resourceVersion": ""}}, indent=4))
    elif output.startswith("jsonpath={."):
        for thing in things:
            for key in output[len("jsonpath={."):].rstrip("}").split("."):
                thing = thing[key]
            print(thing, end="")
    else:
        print("\n".join(f"{RESOURCES[one['kind']]}/{one['metadata']['name']}" for one in things))


def answer(api, verb, words, options):
    if verb in ("create", "apply"):
        return create(api, options["filename"], options["namespace"], verb == "apply")
    if verb == "get":
        return show(chosen(api, options, words, "list" if len(words) == 1 else "get"), options.get("output", ""), len(words) > 1)
    if verb == "delete":
        for thing in chosen(api, options, words, "delete"):
            api.end_pod(thing) if thing["kind"] == "Pod" else api.remove(thing)
            print(f'{RESOURCES[thing["kind"]]} "{thing["metadata"]["name"]}" deleted')
        return api.settle()
    if verb == "patch":
        (thing,) = chosen(api, options, words, "patch")
        api.put(merged(thing, json.loads(options["patch"])))
        return api.settle()
    if verb == "logs":
        (pod,) = chosen(api, options, ["pods", *words], "get")
        return print((api.place_of(pod) / "log").read_text(), end="")
    raise Refused(f'error: unknown command "{verb}" for "kubectl"')


def kubectl(arguments):
    api, words, options = Api(os.environ["KUBECTL_STUB"]), [], {"namespace": "default"}
    short = {"-n": "--namespace", "-l": "--selector", "-o": "--output", "-f": "--filename", "-p": "--patch"}
    arguments = list(arguments)
    with open(api.directory / "calls", "a") as calls:
        calls.write(json.dumps(arguments) + "\n")
    while arguments:
        word = arguments.pop(0)
        if not word.startswith("-"):
            words.append(word)
            continue
        name, equals, value = short.get(word, word).partition("=")
        flag = name in ("--ignore-not-found", "--force", "--all")
        options[name[2:]] = value if equals else "true" if flag else arguments.pop(0)
    settings = api.settings()
    time.sleep(settings["slow"])
    try:
        if settings["away"]:
            raise Refused("The connection to the server 127.0.0.1:6443 was refused - did you specify the right host or port?")
        if settings["said"]:
            raise Refused(settings["said"])
        if settings["contexts"] and options.get("context", settings["contexts"][0]) not in settings["contexts"]:
            raise Refused(f'error: context "{options["context"]}" does not exist')
        with api.locked():
            api.settle()
            answer(api, words[0], words[1:], options)
    except Refused as error:
        print(error, file=sys.stderr)
        return 1
    return 0


class Cluster:
    """What a test does to it, and what it sees."""

    def __init__(self, directory, **settings):
        self.api = Api(directory)
        self.directory = self.api.directory
        tool = self.directory / "bin" / "kubectl"
        tool.parent.mkdir(exist_ok=True)
        tool.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{pathlib.Path(__file__).resolve()}' \"$@\"\n")
        tool.chmod(0o755)
        self.set(**settings)

    def environment(self, environment):
        return dict(environment, KUBECTL_STUB=str(self.directory), PATH=f"{self.directory}/bin:{environment['PATH']}")

    def set(self, **settings):
        assert set(settings) <= set(SETTINGS), settings
        with self.api.locked():
            (self.directory / "settings.json").write_text(json.dumps(self.api.settings() | settings))
            self.api.settle()

    def calls(self):
        file = self.directory / "calls"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def objects(self, kind):
        with self.api.locked():
            return self.api.all(kind)

    def job(self):
        (job,) = self.objects("Job")
        return job

    def pods(self, **wanted):
        """All of them, or those with this phase, node, index, live."""
        facts = {"phase": lambda pod: pod["status"]["phase"], "node": lambda pod: pod["spec"].get("nodeName"),
                 "index": lambda pod: int(pod["metadata"]["annotations"][INDEX]), "live": is_live}
        return [pod for pod in self.objects("Pod") if all(facts[name](pod) == value for name, value in wanted.items())]

    def log(self, pod):
        file = self.api.place_of(pod) / "log"
        return file.read_text() if file.exists() else ""

    def process(self, pod):
        """The process id of its command, once it has begun; it leads a group of its own."""
        file = self.api.place_of(pod) / "begun"
        return int(file.read_text()) if file.exists() else None

    def lose_node(self, node, power=True):
        with self.api.locked():
            (self.directory / "lost").mkdir(exist_ok=True)
            (self.directory / "lost" / node).touch()
            for pod in self.api.all("Pod"):
                if pod["spec"].get("nodeName") != node or not is_live(pod):
                    continue
                if not power and self.process(pod):
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(self.process(pod), signal.SIGKILL)
                self.api.end_pod(pod, reason="DeletionByTaintManager", message="Taint manager: deleting due to NoExecute taint")
            self.api.settle()

    def node_back(self, node):
        with self.api.locked():
            (self.directory / "lost" / node).unlink()
            for pod in self.api.all("Pod"):
                if pod["spec"].get("nodeName") == node and pod["metadata"].get("deletionTimestamp"):
                    (self.api.place_of(pod) / "end").write_text(str(time.time() + self.api.settings()["grace"]))
                    if (self.api.place_of(pod) / "code").exists():
                        self.api.remove(pod)
            self.api.settle()

    def evict(self, pod, message="The node was low on resource: ephemeral-storage."):
        with self.api.locked():
            pod = self.api.get("Pod", pod["metadata"]["namespace"], pod["metadata"]["name"])
            pod["status"] |= {"reason": "Evicted", "message": message}
            set_condition(pod, type="DisruptionTarget", reason="TerminationByKubelet", message=message)
            self.api.put(pod)
            (self.api.place_of(pod) / "end").write_text(str(time.time() + self.api.settings()["grace"]))

    def preempt(self, pod):
        with self.api.locked():
            pod = self.api.get("Pod", pod["metadata"]["namespace"], pod["metadata"]["name"])
            self.api.end_pod(pod, reason="PreemptionByScheduler", message="default-scheduler: preempting to accommodate a higher priority pod")
            self.api.settle()

    def kill_for_memory(self, pod):
        (self.api.place_of(pod) / "oom").touch()
        os.killpg(self.process(pod), signal.SIGKILL)

    def play_success_criteria_only(self):
        self.set(success_criteria_only=True)

    def until(self, true, seconds=240, what="what is waited for"):
        end = time.monotonic() + seconds
        while not true():
            if time.monotonic() > end:
                raise AssertionError(f"{what} did not come within {seconds} s; pods: " + ", ".join(
                    f"{pod['metadata']['name']} {pod['status']['phase']}: {self.log(pod)[-500:]}" for pod in self.objects("Pod")))
            time.sleep(0.05)

    def stop(self):
        """Kills every process of every pod; nothing starts any more."""
        with self.api.locked():
            (self.directory / "stopped").touch()
            for file in (self.directory / "pods").glob("*/begun") if (self.directory / "pods").exists() else ():
                if not (file.parent / "code").exists():
                    with contextlib.suppress(ProcessLookupError, ValueError):
                        os.killpg(int(file.read_text()), signal.SIGKILL)
        with open(self.directory / "kubelets", "w") as alive:
            self.until(lambda: self.none_holds(alive), 10, "the end of all pods")

    @staticmethod
    def none_holds(file):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            return False


if __name__ == "__main__":
    sys.exit(kubectl(sys.argv[1:]))
