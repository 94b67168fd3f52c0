"""The GPU that is measured, the programs that measure it, the libraries that are here, and the time that is left."""
import contextlib
import functools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Failure(Exception):
    """A part cannot go on; its words say why."""


def nvidia_smi(*words):
    """Lines of `nvidia-smi`, or Failure."""
    try:
        done = subprocess.run(["nvidia-smi", *words], capture_output=True, text=True, timeout=60)
    except FileNotFoundError:
        raise Failure("no nvidia-smi: the NVIDIA driver is not installed, or this container was not given the GPU") from None
    if done.returncode != 0:
        raise Failure(f"nvidia-smi {' '.join(words)}: {(done.stdout + done.stderr).strip()}")
    return done.stdout.splitlines()


class Gpu(typing.NamedTuple):
    """What CUDA takes for a device: a card, or an instance of one that MIG divides (`instance`: MIG 1g.18gb), whose card CUDA does not show."""
    uuid: str
    card: str  # whom nvidia-smi is asked about
    instance: str = ""


def gpus():
    """All of this machine, as CUDA shows them."""
    cards, card = {}, None
    for line in nvidia_smi("-L"):
        uuid, instance = re.search(r"\(UUID: ([^)\s]+)\)", line), re.match(r"\s+(MIG \S+)", line)
        if uuid and instance:
            cards[card].append(Gpu(uuid[1], card, instance[1]))
        elif uuid:
            card = uuid[1]
            cards[card] = []
    return [gpu for card, instances in cards.items() for gpu in instances or [Gpu(card, card)]]


def chosen(uuid):
    """The GPU with that UUID, of a divided card the first instance; without a UUID the first there is."""
    here = gpus()
    found = [gpu for gpu in here if uuid in (None, gpu.uuid, gpu.card)]
    if not found:
        raise Failure(f"{'no GPU' if uuid is None else uuid + ': no such GPU'} here; nvidia-smi -L lists "
                      f"{', '.join(gpu.uuid for gpu in here) or 'none'}")
    return found[0]


class Machine:
    """One GPU. `output`: where all parts write; `deadline`: when the part that runs should be done (seconds, monotonic)."""

    def __init__(self, options):
        self.programs = options.bin.resolve()
        for name in ("stackx", "stackx-pi"):
            if not (self.programs / name).is_file():
                raise Failure(f"{self.programs / name}: no such program; build it (bench/gpu.sh does), or name its folder with --bin")
        self.python = options.python
        self.catalogs = [file.resolve() for file in options.catalog]
        self.small = options.small
        self.sizes, self.dtypes, self.rounds = options.sizes, options.dtypes, options.rounds
        self.uuid, self.card, self.instance = chosen(options.device)
        self.refuse_undivided()
        self.name, self.driver = f"{self.asked('name')} {self.instance}".strip(), self.asked("driver_version")
        self.output = (options.output or ROOT / "build/gpu" / slug(self.name)).resolve()
        self.output.mkdir(parents=True, exist_ok=True)
        self.environment = {**os.environ, "STACKX_DB": str(self.output / "gpu.db")}
        self.environment.pop("COLUMNS", None)  # so that what is read line by line does not fold
        self.deadline = float("inf")

    def refuse_undivided(self):
        """Failure where MIG is on without an instance: CUDA shows nothing of such a card."""
        try:
            divided = self.asked("mig.mode.current") == "Enabled"
        except Failure:  # a driver that is older than MIG
            return
        if divided and not self.instance:
            raise Failure(f"{self.card}: MIG is on and the card has no instance, so CUDA shows no device: make one (nvidia-smi mig -cgi 0 -C, "
                          "as root), or turn MIG off (nvidia-smi -mig 0), or name another GPU with --device")

    def asked(self, field):
        """One field of `nvidia-smi --query-gpu`, of this GPU's card."""
        return nvidia_smi(f"--query-gpu={field}", "--format=csv,noheader", f"--id={self.card}")[0].strip()

    def number(self, field):
        """Of asked(), or None where nvidia-smi does not tell it: [N/A] of a card that MIG divides."""
        told = re.match(r"\d+", self.asked(field))
        return int(told[0]) if told else None

    def memory_used(self):
        """MiB of the card that are taken, by whoever, or None."""
        return self.number("memory.used")

    def left(self):
        """Seconds that the part still has."""
        return self.deadline - time.monotonic()

    def stackx(self, *words, seconds=None, status=(0,)):
        """What `stackx WORDS` printed, as a CompletedProcess; Failure for another exit status."""
        done = self.run([self.programs / "stackx", *words], seconds or max(self.left(), 5) + 60)
        if done.returncode not in status:
            raise Failure(f"stackx {' '.join(map(str, words))}: exit status {done.returncode}\n{done.stderr[-2000:]}")
        return done

    def run(self, command, seconds, **variables):
        """Its output, with a limit: it and what it started are killed after `seconds` (returncode -9)."""
        with subprocess.Popen([str(word) for word in command], env={**self.environment, **variables}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
            try:
                out, errors = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                out, errors = process.communicate()
                errors += f"\nkilled after {seconds:.0f} s"
            except BaseException:  # Ctrl-C, which does not come to a session of its own
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                raise
        return subprocess.CompletedProcess(command, process.returncode, out, errors)

    def native(self, words, seconds=60, **variables):
        """stackx-pi WORDS -> its document, with `argv`; {"error": ...} where there is none."""
        return document([self.programs / "stackx-pi", *words], self.run([self.programs / "stackx-pi", *words], seconds, **variables))

    def framework(self, words, seconds=60):
        """A Python PI on the GPU, likewise."""
        command = [self.python, ROOT / "kernels/python/pi.py", *words]
        return document(command, self.run(command, seconds))

    def sized(self, words):
        """The words of an indicator, with sizes for trying where --small asks for that."""
        return re.sub(r"\b(m|n|k|bytes)=\d+", r"\1=64", words) if self.small else words

    def limited(self, name):
        """What bounds one run of an indicator: two seconds, and for trying so little memory that a played device is soon through."""
        if not self.small:
            return ["max_seconds=2"]
        return ["max_seconds=0.3", *{"memory_bandwidth": ["size_mib=4"], "transfer": ["size_kib=1024"]}.get(name, [])]

    @functools.cached_property
    def host(self):
        """What `stackx hw` says of the machine."""
        return json.loads(self.stackx("hw", "--json").stdout)

    def library(self, component):
        """The newest of that kind that the driver runs, or None."""
        return next((path for _, path in self.libraries(component)), None)

    @functools.lru_cache(maxsize=None)
    def libraries(self, component):
        """[(version, path)] of that kind that `catalog discover` found, of a CUDA that the driver runs, newest CUDA first."""
        file = self.output / "discovered.json"
        if not file.exists():
            self.stackx("catalog", "discover", "-o", file)
        versions = json.loads(file.read_text())["components"].get("cuda" if component == "cudart" else component, {}).get("versions", {})
        cuda = {version: numbers(entry.get("requires", {}).get("cuda", version)) for version, entry in versions.items()}
        runs = numbers(self.host["cuda_driver"])[0]
        newest = sorted((one for one in versions if cuda[one][0] <= runs), key=lambda one: (cuda[one], numbers(one)), reverse=True)
        return [(version, artifact["library"]) for version in newest for artifact in versions[version]["artifacts"]
                if "library" in artifact]


def slug(model):
    """NVIDIA H200 -> nvidia-h200"""
    return "-".join("".join(c if c.isalnum() else " " for c in model.lower()).split())


def numbers(text):
    """==12.9.1 -> [12, 9, 1]"""
    return [int(part) for part in re.findall(r"\d+", text)]


def document(command, done):
    """What a PI told, with the words that made it."""
    argv = [str(word).replace(str(ROOT) + os.sep, "") for word in command[1:]]
    if done.returncode == 0:
        return {"argv": argv, "document": json.loads(done.stdout)}
    return {"argv": argv, "error": done.stderr.strip()[-2000:] or f"exit status {done.returncode}, without a word"}


def verdict(found):
    """"right", or why not."""
    if "error" in found:
        return found["error"].splitlines()[-1]
    told = found["document"]
    if told.get("unsupported"):
        return f"unsupported: {told['unsupported']}"
    return "right" if told["check"]["pass"] else "WRONG RESULT: " + told["check"].get("detail", "")


def progress(text):
    print(text, file=sys.stderr, flush=True)
