"""Part 1: what stackx finds here against what nvidia-smi and the frameworks say themselves."""
import json

from machine import nvidia_smi

# Run by a framework's own Python: what it says of itself, and the NVIDIA libraries that its process has loaded after some work.
ASK = {
    "torch": """
import torch
a = torch.ones(64, 64, device="cuda"); (a @ a).cpu(); torch.nn.functional.conv2d(a.view(1, 1, 64, 64), a[:3, :3].reshape(1, 1, 3, 3)).cpu()
told = {"version": torch.__version__, "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version(),
        "architectures": torch.cuda.get_arch_list(), "nccl": ".".join(map(str, torch.cuda.nccl.version()))}
""",
    "jax": """
import jax, jax.numpy
a = jax.numpy.ones((64, 64)); (a @ a).block_until_ready()
told = {"version": jax.__version__, "devices": [one.device_kind for one in jax.devices()]}
""",
    "cupy": """
import cupy
a = cupy.ones((64, 64), "float32"); (a @ a).get()
told = {"version": cupy.__version__, "runtime": cupy.cuda.runtime.runtimeGetVersion()}
""",
}
LOADED = """
import json, re
ours = re.compile(r"/lib(cublas|cublasLt|cudnn|cudart|nvrtc|nccl)(-[0-9a-f]{8})?\\.so")
told["loaded"] = sorted({line.split()[-1] for line in open("/proc/self/maps") if ours.search(line)})
print(json.dumps(told))
"""


def part(machine):
    gpu = next(one for one in machine.host["gpus"] if one["uuid"] == machine.card)
    yield "| | nvidia-smi | stackx hw | |"
    yield "|---|---|---|---|"
    memory = machine.asked("memory.total")
    for what, theirs, ours in [("model", machine.asked("name"), gpu["model"]), ("UUID", machine.card, gpu["uuid"]),
                               ("PCI", machine.asked("pci.bus_id"), gpu["pci"]),
                               ("compute capability", machine.asked("compute_cap"), gpu["compute_capability"]),
                               ("memory", memory, f"{gpu['memory_bytes'] // 2**20} MiB"),
                               ("driver", machine.driver, machine.host["driver"])]:
        yield f"| {what} | {theirs} | {ours} | {'same' if same(str(theirs), str(ours)) else 'DIFFERS'} |"
    yield from ("", "`stackx hw noise`:", "", "```", *machine.stackx("hw", "noise", status=(0, 1)).stdout.splitlines(), "```", "")
    machine.stackx("catalog", "discover", "-o", machine.output / "discovered.json")
    offered = json.loads((machine.output / "discovered.json").read_text())["components"]
    yield "`stackx catalog discover`: " + "; ".join(f"{name} {', '.join(one['versions'])}" for name, one in sorted(offered.items())) + "."
    ours = {path for name in ("cublas", "cublaslt", "cudnn", "cudart", "nvrtc", "nccl") for _, path in machine.libraries(name)}
    for name, text in ASK.items():
        done = machine.run([machine.python, "-c", text + LOADED], 120)
        if done.returncode != 0:
            yield f"- {name}: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'no answer'}"
            continue
        told = json.loads(done.stdout.splitlines()[-1])
        loaded = told.pop("loaded")
        yield f"- {name}: " + ", ".join(f"{key} {value if isinstance(value, str) else json.dumps(value)}" for key, value in told.items())
        yield from (f"  - loads {path}: {'found by discover' if path in ours else 'NOT FOUND by discover'}" for path in loaded)
    (machine.output / "conditions.txt").write_text("\n".join(nvidia_smi("-q", f"--id={machine.card}")) + "\n")


def same(theirs, ours):
    """PCI domains are written with eight digits there and four here."""
    return theirs.lower().lstrip("0") == ours.lower().lstrip("0")
