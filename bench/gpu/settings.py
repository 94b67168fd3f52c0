"""Settings as components: a framework that is installed with each value of one setting (gpu-settings.json), as stacks of a
campaign of interleaved rounds. Repeated, the campaigns go on where the time ran out."""
import json

from project import campaign

ROUNDS = 6  # that two stacks need for a verdict
PRODUCT = {"m": 8192, "n": 8192, "k": 8192, "max_seconds": 2}
# (framework, setting, indicator, parameters), those first that say most
CAMPAIGNS = (
    ("torch", "tf32", "matmul", {"dtype": "float32", **PRODUCT}),
    ("torch", "execution", "transformer", {"model": "small", "phase": "train", "batch": 4, "context": 128, "max_seconds": 3}),
    ("torch", "torch-blas", "matmul", {"dtype": "bfloat16", **PRODUCT}),
    ("jax", "tf32", "matmul", {"dtype": "float32", **PRODUCT}),
    ("jax", "xla-gemm", "matmul", {"dtype": "bfloat16", **PRODUCT}),
    ("torch", "cuda-module-loading", "startup", {"repetitions": 1}),
)


def part(machine):
    machine.libraries("cublas")  # discover, if no part before did
    components = json.loads((machine.output / "discovered.json").read_text())["components"]
    here = components.get("framework", {}).get("versions", {})
    campaigns = [one for one in CAMPAIGNS if one[0] in here and one[1] in components]
    if not campaigns:
        yield "- no framework for GPUs was found here, so no setting of one was compared"
    for number, (framework, setting, pi, params) in enumerate(campaigns):
        what = f"{framework}, {pi} {params.get('dtype', params.get('phase', ''))}".strip() + f", by {setting}"
        seconds = int(machine.left() / (len(campaigns) - number))
        if seconds < 5:
            yield f"- {what}: not begun, for want of time"
            continue
        told = campaign(machine, f"{framework}-{setting}", {"pi": pi, "params": {"device": "gpu", **sized(machine, params)}}, seconds,
                        requires={"framework": f"=={framework}", setting: "*"}, rounds=min(ROUNDS, machine.rounds))
        yield f"- {what}: {told[0]}"


def sized(machine, params):
    """With sizes for trying where --small asks for that."""
    return {key: 64 if machine.small and key in "mnk" else value for key, value in params.items()}
