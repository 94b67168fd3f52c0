"""Settings as components: a framework that is installed with each value of one setting (gpu-settings.json), as stacks of a
campaign of interleaved rounds. Repeated, the campaigns go on where the time ran out."""
import json
import math

from project import Turns, campaign

PRODUCT = {"m": 4096, "n": 4096, "k": 4096, "max_seconds": 2}  # the device is busy with it, and the host soon ready
# (framework, setting, indicator, parameters, seconds of an inspection on an H200), those first that say most. Which values a setting has is
# the catalog's to say.
CAMPAIGNS = (
    ("torch", "tf32", "matmul", {"dtype": "float32", **PRODUCT}, 8),
    ("torch", "torch-blas", "matmul", {"dtype": "bfloat16", **PRODUCT}, 8),
    ("jax", "xla-gemm", "matmul", {"dtype": "bfloat16", **PRODUCT}, 8),
    ("torch", "execution", "transformer", {"model": "small", "phase": "train", "batch": 4, "context": 128, "max_seconds": 3}, 20),
    ("jax", "tf32", "matmul", {"dtype": "float32", **PRODUCT}, 8),
    ("torch", "cuda-module-loading", "startup", {"repetitions": 1}, 25),
)


def part(machine):
    machine.libraries("cublas")  # discover, if no part before did
    components = json.loads((machine.output / "discovered.json").read_text())["components"]
    here, turns = components.get("framework", {}).get("versions", {}), Turns(machine)
    campaigns = [one for one in CAMPAIGNS if one[0] in here]
    if not campaigns:
        yield "- no framework for GPUs was found here, so no setting of one was compared"
    for framework, setting, pi, params, each in campaigns:
        what = f"{framework}, {pi} {params.get('dtype', params.get('phase', ''))}".strip() + f", by {setting}"
        values = values_for(components, framework, setting)
        if len(values) < 2:
            yield f"- {what}: nothing to compare, there is {' and '.join(values) or 'no such setting'} here"
            continue
        rounds = min(rounds_for(len(values)), machine.rounds)
        need = len(values) * rounds * each
        seconds = turns.seconds(need)
        if not seconds:
            yield f"- {what}: {turns.why_not(need)}"
            continue
        told = campaign(machine, f"{framework}-{setting}", {"pi": pi, "params": {"device": "gpu", **sized(machine, params)}}, seconds,
                        requires={"framework": f"=={framework}", setting: "*"}, rounds=rounds)
        turns.ran(what, told)
        yield f"- {what}: {told[0]}"


def values_for(components, framework, setting):
    """Of a setting, those that go with the framework."""
    def goes(entry):
        required = entry.get("requires", {}).get("framework", "*")
        return bool({"*", f"=={framework}"} & set(required["any"] if isinstance(required, dict) else [required]))

    return [value for value, entry in components.get(setting, {}).get("versions", {}).items() if goes(entry)]


def rounds_for(stacks):
    """The fewest that can give a verdict at 95%, as `inspect --dry-run` says: 6 for two stacks, 7 for three."""
    return math.ceil(math.log2(2 * (stacks - 1) / 0.05))


def sized(machine, params):
    """With sizes for trying where --small asks for that."""
    return {key: 64 if machine.small and key in "mnk" else value for key, value in params.items()}
