"""Is the result right? Answered in float64 by NumPy's einsum, whose own loops do without a BLAS, before anything is timed.

Every entry of a matrix product or convolution is a sum of K products, a row (a patch of the input) a with a column (a filter) b.

Tolerance, entry by entry:  bound |a| |b|,  bound = 16 u, with u the unit roundoff and |.| Euclidean norms: kernels/reference/product.hpp
derives it (rounding errors of zero-mean data walk at random; the textbook K u |a||b| would let half precision pass for float32).
    float64 u = 2^-53; float32 u = 2^-24
    float16 u = 2^-11; bfloat16 u = 2^-8: frameworks give the result in these, and some round every partial sum to them
    float32 with tf32=1 u = 2^-11: TensorFloat-32 keeps 10 bits of each factor. Without tf32=1 such a product fails float32's bound.
For the coarse u the entry's bound is near the entries themselves (|a||b| / sqrt(K)), so that a second number decides:
  RMS: |C - R| / |R| over all compared entries <= min(1/2, 2 u sqrt(K)): partial sums rounded each time give about 0.5 u sqrt(K),
  rounding factors or result alone about u, zeros, a transposed or a stale result 1 or more.

Besides, `max_ulps`: the largest error of an entry in units in the last place of the dtype, at the exact value, as
kernels/reference/ulps.hpp defines it; not of float64, whose exact value this reference does not have. Of what training leaves
(tensor_ulps) the unit is that at the tensor's largest exact entry: gradients have entries of every size down to 0, by cancellation, and
the worst of them in its own ulps would tell how near to 0 one came.

Compared: all entries while that costs at most 2^28 flop; else some rows and columns, edges always among them, and for products
every row against random vectors of +-1 (Freivalds; in the native PI's tolerance |a_i| |B|_F): each vector misses a wrong entry
with probability at most 1/2. What is not seen then: a wrong entry outside, smaller than that tolerance.
"""

from __future__ import absolute_import, division

from stackx_pi.inputs import random_state

SAFETY = 16
ROUNDOFF = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
TF32_ROUNDOFF = 2.0**-11
PRECISION = {"float32": (24, -126), "float16": (11, -14), "bfloat16": (8, -126)}  # digits, least exponent of normal numbers
HUGE = 1.7976931348623157e308  # JSON has no infinity
FULL_FLOP = 2.0**28
ROWS = 12
POSITIONS = 256
VECTORS = 10
BLOCK = 1 << 22  # elements converted to float64 at a time


def roundoff(dtype, tf32=False):
    return TF32_ROUNDOFF if tf32 and dtype == "float32" else ROUNDOFF[dtype]


def largest_ulps(found, expected, dtype):
    """Arrays of one shape, in float64."""
    return ulps_at(expected, found, expected, dtype)


def tensor_ulps(found, expected, dtype):
    """In ulps of the tensor's largest entry; HUGE of another shape."""
    if found.shape != expected.shape:
        return HUGE
    return ulps_at(abs(expected).max(), found, expected, dtype)


def ulps_at(where, found, expected, dtype):
    import numpy
    digits, least = PRECISION[dtype]
    exponents = numpy.where(where == 0, least, numpy.frexp(where)[1] - 1)
    with numpy.errstate(all="ignore"):
        ulps = numpy.abs(found - expected) / numpy.ldexp(1.0, numpy.maximum(exponents, least) - digits + 1)
    return float(numpy.where(numpy.isfinite(ulps), ulps, HUGE).max())


class Comparison(object):
    """Collects the worst entry and the RMS."""

    def __init__(self, u, terms, dtype):
        self.dtype = dtype
        self.ulps = None
        self.bound = SAFETY * u
        self.rms_bound = min(0.5, 2 * u * terms**0.5) if u > 2.0**-20 else None
        self.worst, self.passed, self.detail = 0.0, True, ""
        self._square_error = self._square = 0.0

    def add(self, found, expected, scale, place):
        """Arrays of one shape; `place` is index -> words."""
        import numpy
        with numpy.errstate(all="ignore"):
            difference = numpy.abs(found - expected)
            relative = numpy.where(difference == 0, 0.0, difference / scale)
        relative = numpy.where(numpy.isfinite(relative), relative, HUGE)
        at = numpy.unravel_index(int(numpy.argmax(relative)), relative.shape)
        if relative[at] > self.worst:
            self.worst = float(relative[at])
            if self.worst > self.bound:
                self.passed = False
                self.detail = "%s is %.9g, expected %.9g" % (place(at), found[at], expected[at])

    def add_entries(self, found, expected):
        """To the RMS and the ulps: of what is compared one by one."""
        if self.dtype in PRECISION:
            self.ulps = max(self.ulps or 0.0, largest_ulps(found, expected, self.dtype))
        self._square_error += float(((found - expected)**2).sum())
        self._square += float((expected**2).sum())

    def document(self, reference):
        result = {"reference": reference, "max_relative_error": self.worst, "bound": self.bound}
        if self.rms_bound is not None and self._square > 0:
            rms = (self._square_error / self._square)**0.5
            rms = rms if rms < HUGE else HUGE  # also NaN
            result["rms_error"], result["rms_bound"] = rms, self.rms_bound
            if not rms <= self.rms_bound:
                self.passed = False
                self.detail = self.detail or "the RMS error is %.3g, at most %.3g is right" % (rms, self.rms_bound)
        if self.ulps is not None:
            result["max_ulps"] = self.ulps
        result["pass"] = self.passed
        if not self.passed:
            result["detail"] = self.detail
        return result


def chosen(size, count, state):
    """Some of 0..size-1, first and last among them; all if there are no more than `count`."""
    if size <= count:
        return list(range(size))
    inner = state.permutation(size - 2)[:count - 2] + 1
    return sorted([0, size - 1] + [int(i) for i in inner])


def double(array):
    import numpy
    return numpy.asarray(array, dtype=numpy.float64)


def norms(array, over):
    import numpy
    return numpy.sqrt(numpy.einsum({0: "ij,ij->j", 1: "ij,ij->i"}[over], array, array))


def compare_part(comparison, a, b, c, rows, columns):
    """c[rows, columns] against the product of those rows and columns."""
    import numpy
    left, right = double(a[rows]), double(b[:, columns])
    expected = numpy.einsum("ij,jk->ik", left, right)
    found = double(c[rows][:, columns])
    comparison.add(found, expected, norms(left, 1)[:, None] * norms(right, 0)[None, :],
                   lambda at: "c[%d,%d]" % (range(a.shape[0])[rows][at[0]] if isinstance(rows, slice) else rows[at[0]],
                                            range(b.shape[1])[columns][at[1]] if isinstance(columns, slice) else
                                            columns[at[1]]))
    comparison.add_entries(found, expected)


def compare_by_vectors(comparison, a, b, c, state):
    """C x against A (B x), row by row."""
    import numpy
    x = state.randint(0, 2, size=(b.shape[1], VECTORS)) * 2.0 - 1.0
    bx, square = in_blocks(b, x)
    ax, _ = in_blocks(a, bx)
    cx, _ = in_blocks(c, x)
    lengths = numpy.sqrt(numpy.concatenate([numpy.einsum("ij,ij->i", part, part) for part in blocks(a)]))
    scale = (lengths * square**0.5)[:, None] + numpy.zeros((1, VECTORS))
    # Summing n results rounded to the dtype adds to the error of a row about what one entry may have times sqrt(n): in scale.
    comparison.add(cx, ax, scale, lambda at: "row %d times a random vector" % at[0])


def blocks(matrix):
    step = max(1, BLOCK // matrix.shape[1])
    for first in range(0, matrix.shape[0], step):
        yield double(matrix[first:first + step])


def in_blocks(matrix, x):
    import numpy
    parts, square = [], 0.0
    for part in blocks(matrix):
        parts.append(numpy.einsum("ij,jv->iv", part, x))
        square += float(numpy.einsum("ij,ij->", part, part))
    return numpy.concatenate(parts), square


def check_product(a, b, c, dtype, seed, tf32=False, full_flop=FULL_FLOP):
    """`c` as the framework gave it, against a b."""
    (m, k), n = a.shape, b.shape[1]
    comparison = Comparison(roundoff(dtype, tf32), k, dtype)
    if c.shape != (m, n):
        return wrong_shape(comparison, c.shape, (m, n))
    if 2.0 * m * n * k <= full_flop:
        compare_part(comparison, a, b, c, slice(None), slice(None))
        return comparison.document("every entry in float64")
    state = random_state(seed, 7)
    rows, columns = chosen(m, ROWS, state), chosen(n, ROWS, state)
    compare_part(comparison, a, b, c, rows, slice(None))
    compare_part(comparison, a, b, c, slice(None), columns)
    compare_by_vectors(comparison, a, b, c, state)
    return comparison.document("%d rows and %d columns in float64, all entries by Freivalds with %d vectors" % (
        len(rows), len(columns), VECTORS))


def wrong_shape(comparison, found, expected):
    comparison.worst, comparison.passed = HUGE, False
    comparison.detail = "the result's shape is %s, expected %s" % (tuple(found), tuple(expected))
    return comparison.document("shape")


def output_positions(batch, axes, state, flop, full_flop):
    """Indices (image, position...) to compare: all of them, or the corners of the first and last image and random ones."""
    import itertools
    sizes = [batch] + [one.out for one in axes]
    total = 1
    for size in sizes:
        total *= size
    if flop <= full_flop or total <= POSITIONS:
        return list(itertools.product(*[range(size) for size in sizes])), True
    corners = itertools.product(*[sorted({0, size - 1}) for size in sizes])
    inner = set(tuple(int(state.randint(0, size)) for size in sizes) for _ in range(POSITIONS))
    return sorted(set(corners) | inner), False


def patch(x, index, axes):
    """The input under the kernel at an output position, padding as zeros: taps x channels, flat."""
    import numpy
    image, position = index[0], index[1:]
    result = numpy.zeros([one.kernel for one in axes] + [x.shape[-1]], dtype=numpy.float64)
    inside, source = [], [image]
    for at, one in zip(position, axes):
        first = at * one.stride - one.low
        low, high = max(first, 0), min(first + one.kernel, one.size)
        inside.append(slice(low - first, high - first))
        source.append(slice(low, high))
    result[tuple(inside)] = x[tuple(source)]
    return result.reshape(-1)


def check_convolution(x, w, y, axes, dtype, seed, tf32=False, full_flop=FULL_FLOP):
    """x: batch, space..., channels; w: taps..., in, out; y: batch, space..., out."""
    import numpy
    filters = double(w).reshape(-1, w.shape[-1])
    comparison = Comparison(roundoff(dtype, tf32), filters.shape[0], dtype)
    shape = (x.shape[0],) + tuple(one.out for one in axes) + (w.shape[-1],)
    if tuple(y.shape) != shape:
        return wrong_shape(comparison, y.shape, shape)
    flop = 2.0 * y.size * filters.shape[0]
    # A patch is gathered in Python: about 10 us each, so a quarter of a second at most.
    limit = full_flop if y.size // shape[-1] <= 1 << 14 else 0
    positions, full = output_positions(x.shape[0], axes, random_state(seed, 7), flop, limit)
    lengths = norms(filters, 0)
    step = max(1, BLOCK // filters.shape[0])
    for first in range(0, len(positions), step):
        part = positions[first:first + step]
        patches = numpy.stack([patch(x, index, axes) for index in part])
        expected = numpy.einsum("ij,jk->ik", patches, filters)
        found = double(y[tuple(numpy.array(part).T)])
        comparison.add(found, expected, norms(patches, 1)[:, None] * lengths[None, :],
                       lambda at, part=part: "y[%s]" % ",".join(str(i) for i in part[at[0]] + (int(at[1]),)))
        comparison.add_entries(found, expected)
    return comparison.document("every entry in float64" if full else
                               "all channels at %d positions in float64, corners among them" % len(positions))


def relative(found, expected):
    """|found - expected| / |expected| in the Euclidean norm; HUGE of another shape, and of what is not finite."""
    import numpy
    if found.shape != expected.shape:
        return HUGE
    scale = numpy.sqrt((expected**2).sum())
    with numpy.errstate(all="ignore"):
        error = numpy.sqrt(((found - expected)**2).sum())
        error = float(error / scale if scale > 0 else error)
    return error if error < HUGE else HUGE  # also NaN
