import numpy as np

float32, float64, float16 = "float32", "float64", "float16"


def asarray(array, dtype):
    return np.array(array, dtype=dtype)


def matmul(a, b):
    import jax
    import naive
    return jax.Array(lambda: naive.matmul(np.asarray(a), np.asarray(b)))
