"""What a framework's compiler tells of itself: did it compile, and did it find what it needs in a cache on disk?

Without this a function that quietly ran operation by operation (TORCHDYNAMO_DISABLE=1, JAX_DISABLE_JIT=1,
tf.config.run_functions_eagerly) would pass as one that compiles in no time, and a cache that is ignored as a warm one.
    torch        torch._dynamo.utils.counters: "stats" unique_graphs; "inductor" fxgraph_cache_*; "aot_autograd" autograd_cache_*
    jax          events of jax.monitoring: /jax/compilation_cache/cache_hits, cache_misses, and what ends in
                 backend_compile_duration; programs in the jitted function's cache
    tensorflow   2.3 or newer: the function's experimental_get_tracing_count()
    onnxruntime  nothing; that there is a session is all there is to know
"""

from __future__ import absolute_import

import collections
import sys


class Silent(object):
    """Of a framework that tells nothing."""
    proof, hits_in = None, ()

    def counts(self, function):
        return {}


class Torch(Silent):
    proof, hits_in = "unique_graphs", ("fxgraph_cache_hit", "autograd_cache_hit")
    groups = (("stats", ("unique_graphs",)), ("graph_break", None), ("inductor", ("fxgraph_cache_hit", "fxgraph_cache_miss",
                                                                                "fxgraph_cache_bypass")),
              ("aot_autograd", ("autograd_cache_hit", "autograd_cache_miss", "autograd_cache_bypass")))

    def counts(self, function):
        utils = sys.modules.get("torch._dynamo.utils")
        found = dict((key, 0) for key in (self.proof,))
        for group, keys in self.groups if utils is not None else ():
            counter = utils.counters[group]
            if keys is None:
                found["graph_breaks"] = sum(counter.values())
            for key in keys or ():
                if counter.get(key) or key in found:
                    found[key] = int(counter.get(key, 0))
        return found


class Jax(Silent):
    hits_in = ("cache_hits",)

    def __init__(self):
        self.seen = collections.Counter()
        try:
            from jax import monitoring
        except ImportError:  # before 0.4.?: none
            return
        monitoring.register_event_listener(self.event)
        monitoring.register_event_duration_secs_listener(self.duration)

    def event(self, name, *_, **__):
        if name.startswith("/jax/compilation_cache/cache_"):
            self.seen[name.rsplit("/", 1)[1]] += 1

    def duration(self, name, seconds, *_, **__):
        if name.endswith("backend_compile_duration"):
            self.seen["backend_compiles"] += 1

    def counts(self, function):
        found, size = dict(self.seen), getattr(function, "_cache_size", None)
        if size is not None:
            self.proof = "programs"
            found["programs"] = size()
        return found


class TensorFlow2(Silent):
    def counts(self, function):
        count = getattr(function, "experimental_get_tracing_count", None)
        if count is None:
            return {}
        self.proof = "traces"
        return {"traces": count()}


def watch(adapter):
    """Begun before the first compilation."""
    kind = adapter.__module__.rsplit(".with_", 1)[-1]
    return {"torch": Torch, "jax": Jax, "tensorflow2": TensorFlow2}.get(kind, Silent)()


def difference(before, after):
    return dict((key, value - before.get(key, 0)) for key, value in after.items())


def compiled(watcher, counts):
    """None: it cannot be told."""
    return None if watcher.proof is None else counts.get(watcher.proof, 0) > 0


def hits(watcher, counts):
    """Programs found in the cache on disk; None: it cannot be told."""
    return sum(counts.get(key, 0) for key in watcher.hits_in) if watcher.hits_in else None
