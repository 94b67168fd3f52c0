import numpy as np

float32, float64, float16 = "float32", "float64", "float16"


def asarray(array, dtype):
    return np.array(array, dtype=dtype)


def matmul(a, b):
    import jax
    import naive
    return jax.Array(lambda: naive.matmul(now(a), now(b)))


def now(array):
    return np.asarray(array.block_until_ready())


def maximum(array, number):
    import jax
    return jax.Array(lambda: np.maximum(now(array), number))
