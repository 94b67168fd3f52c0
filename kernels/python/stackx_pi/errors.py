"""How a PI ends when it does not end with samples."""


class UsageError(Exception):
    """Exit status 2: what was asked for makes no sense."""


class EnvironmentFault(Exception):
    """Exit status 3: the framework cannot be loaded, or fails."""


class Unsupported(Exception):
    """A valid answer, exit status 0: framework or machine cannot do this."""


REFUSALS = ("not implemented", "unimplemented", "not supported", "unsupported", "no opkernel", "no kernel",
            "only supports", "does not support", "could not find an implementation", "not registered",
            "is not in list of allowed values", "must be float", "doesn't support", "cannot be supported")


def refusal(error):
    """Why a framework cannot do it, if that is what the exception says; else None."""
    text = str(error).strip()
    kind = type(error).__name__.lower()
    if "notimplemented" in kind or "unimplemented" in kind or any(word in text.lower() for word in REFUSALS):
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return (lines[0] if lines else type(error).__name__)[:500]
    return None
