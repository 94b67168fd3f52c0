"""The decoders and tasks that the tests of `transformer` share."""

from stackx_pi.transformer import cost, shape

# 9 tokens: no multiple of anything; the cache of a decoding task has 3 slots to be written behind them.
PREFILL, DECODE, TRAIN = cost.Task("prefill", 2, 9, 3), cost.Task("decode", 2, 9, 3), cost.Task("train", 2, 9, 3)
PHASES = {"prefill": PREFILL, "decode": DECODE, "train": TRAIN}


def preset(name="tiny", **changes):
    return shape.Shape(**dict(zip(shape.KEYS, shape.PRESETS[name]))).changed(**changes)


WORDS = ["transformer", "model=tiny", "batch=2", "context=9", "tokens=3", "repetitions=3", "mini_batch=2", "warmup_ms=0"]
