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
