"""vllm_bench: vLLM's own benchmarks, `vllm bench latency|throughput|startup`, and the JSON that they write, taken in.

of=latency     seconds of one batch from prompt to last token: "latencies", one sample each (repetitions=N: --num-iters N)
of=throughput  seconds for num_prompts requests: "elapsed_time", one process and one sample each
of=startup     seconds of making the engine (weights, compilation, cache of keys and values) in a process of its own:
               "cold_startup_times" or "warm_startup_times", as cache=... says. Neither the interpreter nor `import vllm` is in it.
The keys are those of vllm/benchmarks/latency.py, throughput.py and startup.py (github.com/vllm-project/vllm, read as they were in mid
2025, at the turn of 2026 and in 0.32, which ran here); they have only been added to. work.items are tokens: those generated, or
count=total: the prompts' too, as in vLLM's tokens_per_second. "metrics": latency_ms (of=latency: median), first_token_ms (of=latency with output_len=1: the batch's one
token), compile_ms (of=startup: what vLLM says of torch.compile). "vllm" has its command and JSON as they are.

The check. vLLM compares no token with anything, and its dummy weights make none worth comparing. Checked is what it says:
latencies are as many as asked for, positive and have the mean it states; tokens are num_prompts * output_len (it ignores the
end-of-sequence token), prompts as long as asked for but for what their tokenizer makes of them, and rates tokens / time; all its times
together fit into the time its process took.
Versions before `vllm bench` had these benchmarks in the repository only (benchmarks/benchmark_latency.py), not in the package.
Files come from /proc/PID/maps of the process and its children, looked at while they run.
"""

from __future__ import absolute_import, division

import io
import json
import math
import os
import re
import shlex
import shutil
import sys
import tempfile

from stackx_pi import frameworks, protocol, versions
from stackx_pi.errors import EnvironmentFault, Unsupported, UsageError, refusal
from stackx_pi.measure import Measurement, measure, median
from stackx_pi.parameters import Parameter
from stackx_pi.starting import caches, children
from stackx_pi.vllm import llama, watched

BOUND = 1e-6  # of what vLLM computes from its own numbers
SPARE, SPARE_TOKENS = 0.1, 4  # of a prompt's length
LARGEST = 1 << 24
REFERENCE = {
    "latency": "vLLM's statement: as many latencies as asked for, their mean, all within the process's time; no token is compared",
    "throughput": "vLLM's statement: requests and generated tokens as asked for, their rate, within the process's time; no token is compared",
    "startup": "vLLM's statement: as many starts as asked for, their mean, all within the process's time",
}


class Wrong(Exception):
    """vLLM says what cannot be; with the relative error, if there is one."""

    def __init__(self, detail, error=1):
        Exception.__init__(self, detail)
        self.error = error


def home():
    """Where the package is; importing it takes seconds, and is not needed to know."""
    if sys.version_info[0] < 3 or not frameworks.installed("vllm"):
        raise EnvironmentFault("vllm is not installed for %s" % sys.executable)
    import importlib.util
    return os.path.dirname(importlib.util.find_spec("vllm").origin)


class Asked(object):
    """The parameters, read."""

    def __init__(self, parameters, plan):
        whole = parameters.whole
        self.of = parameters.one_of("of", ["latency", "throughput", "startup"])
        self.model, self.load_format = parameters.text("model"), parameters.text("load_format")
        self.input_len, self.output_len = whole("input_len", 1, LARGEST), whole("output_len", 1, LARGEST)
        self.batch, self.prompts = whole("batch", 1, LARGEST), whole("num_prompts", 1, LARGEST)
        self.dtype = parameters.one_of("dtype", ["auto", "bfloat16", "float16", "float32"])
        self.tensor_parallel, self.eager = whole("tensor_parallel", 1, 4096), whole("enforce_eager", 0, 1) == 1
        self.warmups, self.total = whole("warmup_iters", 0, LARGEST), parameters.one_of("count", ["output", "total"]) == "total"
        self.cache = parameters.one_of("cache", ["cold", "warm"])
        self.seed, self.iterations = whole("seed", 0, 2**64 - 1) & 0xffffffff, plan.repetitions
        if plan.mini_batch != 1:
            raise UsageError("mini_batch=%s: expected 1: vLLM times single iterations" % parameters.text("mini_batch"))
        if self.model in llama.SHAPES and self.load_format != "dummy":
            raise UsageError("load_format=%s: %s has no weights; expected dummy" % (self.load_format, self.model))
        try:
            self.extra = shlex.split(parameters.text("extra"))
        except ValueError as error:
            raise UsageError("extra=%s: %s" % (parameters.text("extra"), error))
        own = set(self.words("", ""))
        for word in self.extra:
            if word.startswith("--") and word.split("=")[0].replace("_", "-") in own:
                raise UsageError("extra: %s is what a parameter says" % word)

    def words(self, model, output, random_len=True):
        """What follows `vllm`, but for extra. `random_len`: of=throughput has --random-input-len."""
        words = ["bench", self.of, "--model", model, "--load-format", self.load_format, "--dtype", self.dtype,
                 "--tensor-parallel-size", str(self.tensor_parallel), "--seed", str(self.seed), "--output-json", output]
        if self.of == "startup":
            cold = self.cache == "cold"  # vLLM takes a mean of each, so that neither may be 0
            words += ["--num-iters-cold", str(self.iterations if cold else 1), "--num-iters-warmup", str(0 if cold else 1),
                      "--num-iters-warm", str(1 if cold else self.iterations)]
        else:
            # Prompts repeat in every iteration of `latency`: found in the cache they would not be read again.
            words += ["--input-len", str(self.input_len), "--output-len", str(self.output_len), "--no-enable-prefix-caching"]
        if self.of == "latency":
            words += ["--batch-size", str(self.batch), "--num-iters", str(self.iterations), "--num-iters-warmup", str(self.warmups)]
        if self.of == "throughput":
            words += ["--dataset-name", "random", "--num-prompts", str(self.prompts)]
            if random_len:  # it wins, and is 1024 if not given
                words += ["--random-input-len", str(self.input_len), "--random-output-len", str(self.output_len)]
        return words + (["--enforce-eager"] if self.eager else [])


def told(result, key, what):
    """A finite number of at least 0."""
    if key not in result:
        raise EnvironmentFault('%s: its JSON has no "%s"; it has %s' % (what, key, ", ".join(sorted(result)) or "nothing"))
    return number(result[key], key, what)


def number(value, key, what):
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value) or math.isinf(value) or value < 0:
        raise EnvironmentFault("%s: its JSON says %s=%s: expected a number of at least 0" % (what, key, json.dumps(value)))
    return value


def times(result, key, count, what, zero=False):
    """`count` times in seconds; above 0, unless `zero`."""
    if not isinstance(result.get(key), list):
        raise EnvironmentFault('%s: its JSON has no list "%s"; it has %s' % (what, key, ", ".join(sorted(result)) or "nothing"))
    values = [number(value, "%s[%d]" % (key, at), what) for at, value in enumerate(result[key])]
    if len(values) != count:
        raise EnvironmentFault("%s: its JSON has %d %s, %d were asked for" % (what, len(values), key, count))
    if not zero and 0 in values:
        raise EnvironmentFault("%s: its JSON says %s[%d]=0: no time passed" % (what, key, values.index(0)))
    return values


def agree(found, expected, detail):
    error = abs(found - expected) / abs(expected) if expected else abs(found)
    if error > BOUND:
        raise Wrong("%s: %.9g, expected %.9g" % (detail, found, expected), error)
    return error


class Bench(object):
    """Runs vLLM, in a scratch directory of its own; what it told is taken apart by latency(), throughput(), startup()."""

    def __init__(self, asked, place):
        self.asked, self.place = asked, place
        self.what = "vllm bench " + asked.of
        self.scratch = tempfile.mkdtemp(prefix="stackx-vllm-")
        self.files, self.result, self.words, self.error, self.tokens = set(), None, None, 0, None
        self._runs, self._model = 0, None

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def _environment(self):
        cache = os.path.join(self.scratch, "cache")
        return dict(caches.environment(cache), VLLM_CACHE_ROOT=os.path.join(cache, "vllm"), VLLM_NO_USAGE_STATS="1", DO_NOT_TRACK="1")

    def has(self, folder, file, text):
        """Does the installed source know it? Asking vLLM itself (--help) would take as long as a start."""
        try:
            with io.open(os.path.join(self.place, folder, file), encoding="utf-8") as source:
                return text in source.read()
        except (IOError, OSError):
            return False

    def model(self):
        if self._model is None:
            one = self.asked
            known = one.model in llama.SHAPES
            self._model = llama.write(one.model, self.scratch, max(64, one.input_len + one.output_len + 16)) if known else one.model
        return self._model

    def once(self):
        """One run; (its JSON, how it ended)."""
        self._runs += 1
        path = os.path.join(self.scratch, "result-%d.json" % self._runs)
        self.words = self.asked.words(self.model(), path, self.has("benchmarks", "throughput.py", "random_input_len"))
        self.words += self.asked.extra
        ended = watched.run(children.command("vllm_child.py", self.words), self._environment(), self.scratch)
        self.files.update(ended.files)
        if ended.status != 0:
            self._failed(ended)
        self.result = self._read(path)
        return self.result, ended

    def _failed(self, ended):
        why = watched.reason(ended.err)
        if ended.status > 0 and refusal(why) is not None:
            raise Unsupported("%s: %s" % (self.what, refusal(why)))
        raise EnvironmentFault("%s: %s: %s" % (self.what, children.ending(ended.status), why))

    def _read(self, path):
        try:
            with open(path) as file:
                result = json.load(file)
        except (IOError, OSError):
            raise EnvironmentFault("%s: exit status 0, and it wrote no JSON" % self.what)
        except ValueError as error:
            raise EnvironmentFault("%s: what it wrote is no JSON: %s" % (self.what, error))
        if not isinstance(result, dict):
            raise EnvironmentFault("%s: its JSON is no object" % self.what)
        return result

    def fits(self, seconds, ended):
        if seconds > ended.seconds:
            raise Wrong("its times come to %.9g s, and its process took %.9g s" % (seconds, ended.seconds))

    def latency(self):
        result, ended = self.once()
        values = times(result, "latencies", self.asked.iterations, self.what)
        self.error = agree(told(result, "avg_latency", self.what), sum(values) / len(values), "avg_latency")
        self.fits(sum(values), ended)
        self.tokens = self.asked.batch * (self.asked.output_len + (self.asked.input_len if self.asked.total else 0))
        return values

    def throughput(self):
        one = self.asked
        result, ended = self.once()
        seconds, total = times({"elapsed_time": [result.get("elapsed_time")]}, "elapsed_time", 1, self.what)[0], told(
            result, "total_num_tokens", self.what)
        agree(told(result, "num_requests", self.what), one.prompts, "num_requests")
        self.error = agree(told(result, "tokens_per_second", self.what), total / seconds, "tokens_per_second")
        self.fits(seconds, ended)
        asked, said = one.prompts * one.output_len, re.search(r"^Total num output tokens:\s*([0-9]+)\s*$", ended.out, re.MULTILINE)
        if said:
            agree(int(said.group(1)), asked, "generated tokens")
        # Prompts are text, and a tokenizer may cut it a little otherwise. Versions that ignored --input-len gave 1024.
        if abs(total - asked - one.prompts * one.input_len) > one.prompts * max(SPARE_TOKENS, SPARE * one.input_len):
            raise Wrong("total_num_tokens=%d: prompts of %.6g tokens, %d were asked for" % (
                total, (total - asked) / one.prompts, one.input_len))
        tokens = total if one.total else asked
        if self.tokens not in (None, tokens):
            raise Wrong("total_num_tokens=%d, and %d before: the prompts are not the same" % (total, self.tokens))
        self.tokens = tokens
        return seconds

    def startup(self):
        one, found, all_times = self.asked, {}, 0
        result, ended = self.once()
        for kind in ("cold", "warm"):
            count = one.iterations if kind == one.cache else 1
            found[kind] = times(result, kind + "_startup_times", count, self.what)
            mean = told(result, "avg_%s_startup_time" % kind, self.what)
            self.error = max(self.error, agree(mean, sum(found[kind]) / count, "avg_%s_startup_time" % kind))
            all_times += sum(found[kind])
        self.fits(all_times, ended)
        self.compilations = times(result, one.cache + "_compilation_times", one.iterations, self.what, zero=True)
        if max(self.compilations) > max(found[one.cache]):
            raise Wrong("a compilation of %.9g s in starts of at most %.9g s" % (max(self.compilations), max(found[one.cache])))
        self.tokens = 1
        return found[one.cache]


def nanoseconds(seconds):
    return max(1, int(round(seconds * 1e9)))


def measured(bench, plan, phases):
    """Measurement of what was asked."""
    if bench.asked.of == "throughput":
        return measure(lambda _: nanoseconds(bench.throughput()), plan, phases.clock, phases)
    measurement = Measurement()
    with phases.record("measure"):
        values = bench.latency() if bench.asked.of == "latency" else bench.startup()
    measurement.samples_ns = [nanoseconds(value) for value in values]
    return measurement


def metrics(bench, samples_ns):
    found, one = {}, bench.asked
    if one.of == "latency":
        found["latency_ms"] = median(samples_ns) / 1e6
        if one.output_len == 1:
            found["first_token_ms"] = found["latency_ms"]
    if one.of == "startup" and min(bench.compilations) > 0:
        found["compile_ms"] = 1e3 * median(bench.compilations)
    return found


def notes(bench, plan):
    one, found = bench.asked, []
    if one.of == "latency":
        found.append("vLLM draws the prompts of `latency` without a seed of their own: tokens may differ from run to run, their number not")
    if one.of == "startup" and not max(bench.compilations):
        # 0.32 on a CPU: starts of 117 s, 41 s with enforce_eager=1, and 0 in both: a worker's compilation is not told.
        found.append("vLLM tells of no compilation: " + ("enforce_eager=1" if one.eager else "there is none, or its workers did it unseen"))
    if plan.max_ns and one.of != "throughput":
        found.append("max_seconds does not stop vLLM: `%s` takes all its iterations in one process" % one.of)
    return found


def answered(bench, document, parameters, plan, phases):
    check = {"reference": REFERENCE[bench.asked.of], "bound": BOUND, "pass": True}
    try:
        measurement = measured(bench, plan, phases)
        document["notes"] += notes(bench, plan)
        found = metrics(bench, measurement.samples_ns)
        if found:
            document["metrics"] = found
        protocol.put_measurement(document, parameters, plan, measurement)
        check["max_relative_error"] = bench.error
    except Wrong as wrong:
        protocol.put_no_measurement(document, parameters, plan)
        check.update({"max_relative_error": wrong.error, "pass": False, "detail": "%s: %s" % (bench.what, wrong)})
    document["check"] = check
    document["work"] = {"flop": 0, "bytes": 0, "items": bench.tokens or 0}
    document["work_formula"] = "items: engines started" if bench.asked.of == "startup" else \
        "items: tokens generated" + (" and prompts'" if bench.asked.total else "")
    document["vllm"] = {"command": ["vllm"] + bench.words, "result": bench.result}


def run(parameters, plan, phases):
    asked = Asked(parameters, plan)
    place, release = home(), versions.distributions().get("vllm")
    document = {"component": "vllm", "notes": [], "parameters": parameters.json(), "loaded": versions.loaded("vllm", release)}
    bench = Bench(asked, place)
    try:
        if not os.path.isfile(os.path.join(place, "entrypoints", "cli", "benchmark", asked.of + ".py")):
            raise Unsupported("vllm %s has no `%s`" % (release, bench.what))
        answered(bench, document, parameters, plan, phases)
    except Unsupported as reason:
        document["unsupported"] = str(reason)
    finally:
        bench.close()
    document["files"], document["build"] = sorted(bench.files), {"file": os.path.join(place, "__init__.py"), "version": release}
    return document


PI = protocol.Pi("vllm_bench", "vLLM's own benchmarks: latency, throughput and start-up of its engine", protocol.with_plan_parameters([
    Parameter("of", "throughput", "throughput, latency or startup: which of `vllm bench`"),
    Parameter("model", "llama-1b", "llama-tiny, llama-1b, llama-8b (made here, without weights), or a model's name or directory"),
    Parameter("load_format", "dummy", "where weights come from: dummy (random), or auto and what else vLLM knows"),
    Parameter("input_len", "128", "tokens of each prompt"),
    Parameter("output_len", "128", "tokens generated for each prompt"),
    Parameter("batch", "8", "of=latency: prompts at once"),
    Parameter("num_prompts", "64", "of=throughput: requests in all"),
    Parameter("count", "output", "which tokens make the rate: output (generated) or total (prompts' too)"),
    Parameter("dtype", "auto", "auto (the model's), bfloat16, float16, float32"),
    Parameter("tensor_parallel", "1", "devices that share each layer"),
    Parameter("enforce_eager", "0", "1: no torch.compile and no CUDA graphs"),
    Parameter("cache", "cold", "of=startup: compilers' caches, cold (empty for each start) or warm"),
    Parameter("warmup_iters", "3", "of=latency: iterations before the first sample"),
    Parameter("extra", "", "further options of vLLM, as a shell would split them"),
    Parameter("framework", "vllm", "what a stack's setting says; it is not used"),
], repetitions="5", mini_batch="1", min_sample_ms="0", warmup_ms="0"), run)

if __name__ == "__main__":
    protocol.main(PI, sys.argv[1:])
