"""How a PI ends when it does not end with samples."""


class UsageError(Exception):
    """Exit status 2: what was asked for makes no sense."""


class EnvironmentFault(Exception):
    """Exit status 3: the framework cannot be loaded, or fails."""


class Unsupported(Exception):
    """A valid answer, exit status 0: framework or machine cannot do this."""


REFUSALS = ("not implemented", "unimplemented", "not supported", "not yet supported", "unsupported", "no opkernel", "no supported kernel",
            "only supports", "does not support", "could not find an implementation", "not registered", "doesn't support",
            "cannot be supported", "not yet supported")


def refusal(error):
    """Why a framework cannot do it, if that is what the exception says; else None."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    for line in lines:  # the line that says so: MXNet begins with a traceback of its own
        if any(word in line.lower() for word in REFUSALS):
            return line[:500]
    kind = type(error).__name__.lower()
    if "notimplemented" in kind or "unimplemented" in kind:
        return (lines or [type(error).__name__])[0][:500]
    return None


SHORTAGES = ("out of memory", "resource_exhausted", "oom when allocating", "alloc_failed", "failed to allocate memory")


def shortage(error):
    """What a framework says of a device whose memory was not enough, with what to do; else None."""
    for line in (line.strip() for line in str(error).splitlines()):
        if any(word in line.lower() for word in SHORTAGES):
            return "%s: memory ran short: give smaller sizes or another dtype, or end what else holds it (nvidia-smi)" % line[:250]
    return None


# As kernels/cuda/device/errors.cpp has them, by the words of the driver: frameworks keep its text, not its numbers.
REMEDIES = (
    ("busy or unavailable", "another process has the GPU for itself, or its compute mode forbids this: see nvidia-smi -q -d COMPUTE"),
    ("uncorrectable ecc", "the GPU's memory lost bits: its results cannot be trusted until it is reset (nvidia-smi --gpu-reset)"),
    ("illegal memory access", "a kernel went wrong: compute-sanitizer shows where, dmesg (Xid) whether it was the GPU"),
    ("unspecified launch failure", "a kernel went wrong: compute-sanitizer shows where, dmesg (Xid) whether it was the GPU"),
    ("misaligned address", "a kernel went wrong: compute-sanitizer shows where, dmesg (Xid) whether it was the GPU"),
    ("cuda error: unknown error", "the driver does not know why, as after a GPU was lost: see nvidia-smi and dmesg (Xid)"),
)


def said(error):
    """One line of an exception: what the driver says of a GPU that failed, with what to do; else the first."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    for line in lines:
        for words, remedy in REMEDIES:
            if words in line.lower():
                return "%s; %s" % (line[:200], remedy)
    return lines[0] if lines else type(error).__name__
