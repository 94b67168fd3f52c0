"""mpi: gradients of all tensors in one buffer of the host, MPI_Allreduce of it, divided by the number of workers: as Horovod does with
its fusion buffer. By mpi4py, whose MPI is the one that was measured. Nothing overlaps: the exchange begins when the last gradient is
there.
"""

from __future__ import absolute_import, division

from stackx_pi import protocol
from stackx_pi.errors import EnvironmentFault, Unsupported
from stackx_pi.parallel.exchange import Exchange

FUSED_BYTES = 64 << 20  # HOROVOD_FUSION_THRESHOLD's default of 64 MB


def join(adapter, workers):
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise EnvironmentFault("exchange=mpi needs mpi4py and an MPI library: %s" % error)
    except RuntimeError as error:  # mpi4py 4.1: no library that its wheel knows
        raise EnvironmentFault("mpi4py: %s" % error)
    if MPI.COMM_WORLD.Get_size() != workers.world.size or MPI.COMM_WORLD.Get_rank() != workers.world.rank:
        raise EnvironmentFault("%s started %d workers, but MPI sees %d: a launcher of another MPI than mpi4py's (%s)" % (
            workers.world.by, workers.world.size, MPI.COMM_WORLD.Get_size(), library(MPI)))
    adapter.notes.append("exchange=mpi: " + library(MPI))
    kind = adapter.__module__.rsplit("with_", 1)[-1]
    return {"torch": OfTorch, "jax": OfJax, "tensorflow2": OfTensorflow, "numpy": Mpi}[kind](adapter, MPI)


def library(MPI):
    return MPI.Get_library_version().split(",")[0].split("\n")[0].strip("\0 ")


class Mpi(Exchange):
    name = "mpi"

    def __init__(self, adapter, MPI):
        self.adapter, self.MPI, self.world = adapter, MPI, MPI.COMM_WORLD
        self.size, self.buffers = self.world.Get_size(), {}

    def mean(self, gradients):
        return self.host_mean(gradients)

    def end(self):
        """A rank that ends without it is taken for one that has failed, and all others are ended. After the document: it may not return
        (mpirun.LEAVE)."""
        protocol.AFTERWARDS.append(self.MPI.Finalize)

    def add_all(self, buffer):
        """In its place: the sum of all workers' buffers."""
        self.world.Allreduce(self.MPI.IN_PLACE, buffer, self.MPI.SUM)

    def host_mean(self, arrays):
        """NumPy arrays of one dtype -> their means over all workers."""
        import numpy
        arrays = [numpy.asarray(array) for array in arrays]
        result, some, size = [], [], 0
        for array in arrays:
            if some and size + array.nbytes > FUSED_BYTES:
                result += self.fused_mean(some)
                some, size = [], 0
            some.append(array)
            size += array.nbytes
        return result + self.fused_mean(some)

    def fused_mean(self, arrays):
        import numpy
        total = sum(array.size for array in arrays)
        buffer = self.buffers.setdefault((total, arrays[0].dtype.char), numpy.empty(total, arrays[0].dtype))
        places, at = [], 0
        for array in arrays:
            places.append(buffer[at:at + array.size])
            places[-1][:] = array.ravel()
            at += array.size
        self.add_all(buffer)
        buffer /= self.size
        return [place.reshape(array.shape).copy() for place, array in zip(places, arrays)]


class OfTorch(Mpi):
    def mean_of_grads(self, weights):
        torch = self.adapter.torch
        means = self.host_mean([weight.grad.cpu().numpy() for weight in weights])
        for weight, mean in zip(weights, means):
            weight.grad.copy_(torch.from_numpy(mean))


class OfTensorflow(Mpi):
    """A node of the graph calls back."""

    def mean(self, gradients):
        tf = self.adapter.tf
        gradients = [tf.convert_to_tensor(gradient) for gradient in gradients]
        means = tf.numpy_function(lambda *arrays: self.host_mean(arrays), gradients, [one.dtype for one in gradients])
        for mean, gradient in zip(means, gradients):
            mean.set_shape(gradient.shape)
        return means


class OfJax(Mpi):
    """The compiled function calls back."""

    def __init__(self, adapter, MPI):
        Mpi.__init__(self, adapter, MPI)
        try:
            from jax.experimental import io_callback
        except ImportError:
            raise Unsupported("jax %s has no io_callback" % adapter.version)
        self.callback = io_callback

    def mean(self, gradients):
        jax = self.adapter.jax
        leaves, shape = jax.tree_util.tree_flatten(gradients)
        means = self.callback(lambda *arrays: self.host_mean(arrays), [jax.ShapeDtypeStruct(one.shape, one.dtype) for one in leaves],
                              *leaves)
        return jax.tree_util.tree_unflatten(shape, means)
