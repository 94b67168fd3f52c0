"""What a trainer calls so that its workers come to the mean of their gradients. One worker alone: nothing happens.

Each framework's trainers call what suits it:
    torch       loss_of = spread(loss_of, weights); after backward(): mean_of_grads(weights)
    TensorFlow  function = step(function); within it: gradients = mean(gradients)
    JAX         the same, function compiled by `compiled`, where that is not None; each() and own() of what goes in and comes out
    NumPy       gradients = mean(gradients)
    TensorFlow 1  own_place(), shared_place(): devices of variables; optimizer(), global_step(), begin()
"""

from __future__ import absolute_import


class Exchange(object):
    name = None    # "ddp (gloo)": for people
    compiled = None
    first = True   # it initialises what is shared
    repeats = True  # a second trainer can be made beside the first, to begin again

    def spread(self, loss_of, weights):  # pylint: disable=unused-argument
        return loss_of

    def mean_of_grads(self, weights):
        pass

    def mean(self, gradients):
        return gradients

    def step(self, function):
        return function

    def each(self, value):
        return value

    def own(self, value):
        return value

    def own_place(self, device):
        return device()

    def shared_place(self, number):  # pylint: disable=unused-argument
        return NoPlace()

    def optimizer(self, optimizer):
        return optimizer

    def global_step(self):
        return None

    def end(self):
        """In every worker, when nothing more is exchanged."""

    def begin(self, session, shared):
        session.run([variable.initializer for variable in shared])


class NoPlace(object):
    def __enter__(self):
        pass

    def __exit__(self, *error):
        pass
