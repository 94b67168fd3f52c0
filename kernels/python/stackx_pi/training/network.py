"""ResNet with bottleneck blocks, once for all frameworks: its layers, how they are joined, how much work they are.

He et al. 2016 (arXiv:1512.03385), table 1. version 1.5 (default; tf_cnn_benchmarks' resnet50_v1.5, torchvision's resnet50)
takes the stride of a block in its 3x3 convolution, version 1 (tf_cnn_benchmarks' resnet50) in its first 1x1. All padding is
explicit and the same on both sides, as in torchvision and for strided convolutions in tf_cnn_benchmarks. Batch norm follows
every convolution (no bias); running statistics move by 0.1 towards each batch, with the unbiased variance.

ResNet-50 has 25,557,032 parameters; 224 x 224 costs 4,089,184,256 multiply-adds forward in version 1.5.

Flop of a training step, of one image: 2 a multiply-add of the convolutions and the last layer, counted as in work.py (taps on
padding count): forward, the gradient of the weights, and the gradient of the input, each the same number; the first
convolution's input needs no gradient. So 3 x forward - first convolution. Batch norm, ReLU, pooling, loss and update are not
counted, as in every published count.
"""

from __future__ import absolute_import, division

import collections

from stackx_pi.errors import Unsupported

EPSILON = 1.001e-5  # the least that cuDNN, and so TensorFlow, takes; Keras has it too
STATISTICS_RATE = 0.1

# depth -> blocks of each stage: three convolutions a block, the first one and the last layer. Below 50: for tests.
DEPTHS = collections.OrderedDict([(14, (1, 1, 1, 1)), (26, (2, 2, 2, 2)), (50, (3, 4, 6, 3)), (101, (3, 4, 23, 3)),
                                  (152, (3, 8, 36, 3))])
EXPANSION = 4

# size, out: rows and columns before and after
Convolution = collections.namedtuple("Convolution", "kernel stride pad inputs outputs size out")
# indices of convolutions; projection: of the shortcut, or None
Block = collections.namedtuple("Block", "convolutions projection")


class Network(object):
    pool_kernel, pool_stride, pool_pad = 3, 2, 1

    def __init__(self, depth=50, image_size=224, classes=1000, width=64, version="1.5"):
        self.depth, self.image_size, self.classes = depth, image_size, classes
        self.width, self.version = width, version
        self.convolutions, self.blocks = [], []
        self._size = image_size
        self._convolve(7, 2, 3, width)
        self._size = positions(self._size, self.pool_kernel, self.pool_stride, self.pool_pad)
        for stage, count in enumerate(DEPTHS[depth]):
            for i in range(count):
                self._block(width << stage, 2 if stage and not i else 1)
        self.features = self.convolutions[-1].outputs
        self.last_positions = self._size**2

    def _convolve(self, kernel, stride, pad, outputs, inputs=None, size=None):
        if inputs is None:
            inputs = self.convolutions[-1].outputs if self.convolutions else 3
        size = self._size if size is None else size
        self._size = positions(size, kernel, stride, pad)
        self.convolutions.append(Convolution(kernel, stride, pad, inputs, outputs, size, self._size))
        return len(self.convolutions) - 1

    def _block(self, inner, stride):
        inputs, size, outer = self.convolutions[-1].outputs, self._size, EXPANSION * inner
        first, second = (stride, 1) if self.version == "1" else (1, stride)
        # The shortcut's projection is listed first, so that the last convolution is always the one before the next block.
        projection = None
        if stride != 1 or inputs != outer:
            projection = self._convolve(1, stride, 0, outer, inputs, size)
        main = (self._convolve(1, first, 0, inner, inputs, size), self._convolve(3, second, 1, inner),
                self._convolve(1, 1, 0, outer))
        self.blocks.append(Block(main, projection))

    def shapes(self):
        """(name, shape) of every parameter, weights as taps..., in, out: the order in which all frameworks keep them."""
        result = []
        for i, one in enumerate(self.convolutions):
            result += [("convolution %d" % i, (one.kernel, one.kernel, one.inputs, one.outputs)),
                       ("gamma %d" % i, (one.outputs,)), ("beta %d" % i, (one.outputs,))]
        return result + [("last layer", (self.features, self.classes)), ("last bias", (self.classes,))]

    def parameter_count(self):
        total = 0
        for _, shape in self.shapes():
            count = 1
            for side in shape:
                count *= side
            total += count
        return total

    def forward_multiply_adds(self):
        """Of one image."""
        return sum(multiply_adds(one) for one in self.convolutions) + self.features * self.classes

    def training_flop(self):
        """Of one image: see above."""
        return 2 * (3 * self.forward_multiply_adds() - multiply_adds(self.convolutions[0]))


def multiply_adds(one):
    return one.out**2 * one.kernel**2 * one.inputs * one.outputs


def positions(size, kernel, stride, pad):
    if size + 2 * pad < kernel:
        raise Unsupported("the image is too small")
    return (size + 2 * pad - kernel) // stride + 1


def forward(network, operations, images):
    """The logits. `operations` are a framework's, each of one layer; i is the number of a convolution and its batch norm."""
    def convolve(x, i, relu):
        x = operations.normalise(operations.convolve(x, i, network.convolutions[i]), i)
        return operations.relu(x) if relu else x

    x = operations.max_pool(convolve(images, 0, True))
    for block in network.blocks:
        shortcut = x if block.projection is None else convolve(x, block.projection, False)
        first, second, third = block.convolutions
        y = convolve(convolve(convolve(x, first, True), second, True), third, False)
        x = operations.relu(operations.add(y, shortcut))
    return operations.last_layer(operations.mean(x))
