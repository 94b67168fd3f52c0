"""One run of a program: CPU seconds, peak memory and output, within a limit of time."""
import os
import resource
import signal
import statistics
import subprocess
import tempfile


class Run:
    """cpu is None where the program was stopped at the limit; status is negative for a signal."""

    def __init__(self, command, limit):
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=errors, preexec_fn=lambda: set_limit(limit))
            try:
                _, status, usage = os.wait4(process.pid, 0)
            except BaseException:  # Ctrl-C
                process.kill()
                process.wait()
                raise
            self.status = process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            errors.seek(0)
            self.output, self.errors = output.read().decode(), errors.read().decode()
        cpu = usage.ru_utime + usage.ru_stime
        # Some catch the signal at the limit and end in an orderly way.
        self.cpu = None if self.status in (-signal.SIGXCPU, -signal.SIGKILL) or cpu > 0.98 * limit else cpu
        self.mebibytes = usage.ru_maxrss / 1024


def set_limit(limit):
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))


def interleaved(commands, repetitions, limit):
    """{name: [runs]}, every round in turn; what reached the limit once is not tried again."""
    runs = {name: [] for name in commands}
    for _ in range(repetitions):
        for name, command in commands.items():
            if not any(run.cpu is None for run in runs[name]):
                runs[name].append(Run(command, limit))
    return runs


def median(values):
    values = list(values)
    return None if None in values else statistics.median(values)


def seconds(value, limit):
    return f"> {limit}" if value is None else f"{value:.3f}" if value < 10 else f"{value:.0f}"
