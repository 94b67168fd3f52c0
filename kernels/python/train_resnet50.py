"""train_resnet50: training steps of ResNet-50 on synthetic images by a Python framework; images/s as tf_cnn_benchmarks tells them.

A sample is one step (mini_batch=N: N of them) on one batch that stays on the device: forward, loss, gradients, momentum update
(stackx_pi/training/__init__.py), after num_warmup_batches others. work.items are images and work.flop is 0, so that stackx
rates it in images/s, as all published results of train_resnet50 are; an image's flop (stackx_pi/training/network.py) are in
"training":

    "training": {"images_per_sec": {"mean", "standard_error", "jitter", "total"},   as report.py says
                 "loss": [of the last step of each sample], "flop_per_image", "gflop_per_sec", "parameters", "model"}

workers=N: so many processes train together, each on `batch` images (stackx_pi/parallel); a sample is a step of all, items and
images_per_sec are of all, and "training" has "workers": {"exchange", "images_per_sec": of each}.
A loss that is not finite is a wrong result. tf_cnn_benchmarks' flags and the words that ask the same here:
    --model=resnet50_v1.5, resnet50            version=1.5, version=1
    --batch_size=N                             batch=N
    --num_batches=N --num_warmup_batches=N     the same (num_batches: repetitions, with mini_batch=1)
    --display_every=N --momentum=X             the same
    --init_learning_rate=X                     learning_rate=X
    --use_fp16                                 dtype=float16
    --data_format=NHWC|NCHW                    layout=channels_last|channels_first
    --device=cpu --num_intra_threads=N         device=cpu threads=N
    --variable_update=horovod, parameter_server, distributed_all_reduce
                                               exchange=mpi, servers, mirrored
    --weight_decay=0 --optimizer=momentum      always
"""

from __future__ import absolute_import, division

import os
import sys

from stackx_pi import memory, protocol, reference, training
from stackx_pi.errors import UsageError
from stackx_pi.framework_pi import FrameworkRun, settings_from, with_framework_parameters
from stackx_pi.measure import measure
from stackx_pi.parallel.workers import PARAMETERS, start
from stackx_pi.parameters import Parameter
from stackx_pi.training import check, network, report
from stackx_pi.training.memory import need_of

LARGEST = 1 << 20


class Training(object):
    formula = "items: images; flop 0, see training.flop_per_image"

    def __init__(self, parameters):
        whole = parameters.whole
        self.batch = whole("batch", 1, LARGEST)
        depth = int(parameters.one_of("depth", [str(known) for known in network.DEPTHS]))
        self.network = network.Network(depth, whole("image_size", 32, 1 << 14), whole("classes", 2, LARGEST),
                                       whole("width", 1, 1 << 12), parameters.one_of("version", ["1.5", "1"]))
        self.model = "resnet%d%s" % (depth, "_v1.5" if self.network.version == "1.5" else "")
        if self.network.width != 64:
            self.model += "_width%d" % self.network.width
        self.settings = training.Settings(parameters.number("learning_rate", 0), parameters.number("momentum", 0))
        self.display_every = whole("display_every", 1, LARGEST)
        self.warmup_batches = whole("num_warmup_batches", 0, LARGEST)
        if check.different_images(self.batch, self.network.last_positions) * self.network.last_positions < 4:
            raise UsageError("batch=%d: with image_size=%d the last batch norm sees %d values a channel, and their gradients "
                             "vanish; 4 are needed" % (self.batch, self.network.image_size,
                                                       self.batch * self.network.last_positions))


class TrainingRun(FrameworkRun):
    def __init__(self, parameters, plan, phases, settings, workers):
        FrameworkRun.__init__(self, parameters, plan, phases, settings)
        self.workers = workers

    def alone(self):
        return not self.workers.several

    def _before_load(self):
        self.workers.prepare(self.name)

    def _measure(self, operation):
        self.training, self.losses, self.own_ns = operation, [], []
        self.workers.join(self.adapter)
        seed = self.parameters.whole("seed", 0, 2**64 - 1)
        need = need_of(self.adapter, operation.network, operation.batch, operation.settings.momentum)
        memory.require(self.adapter, need, self.parameters, self.workers.gathered)
        with self.phases.record("check"):
            trainer, result = self._refusing(lambda: self._checked(seed))
        self.document["check"] = result
        measurement = None
        if result["pass"]:
            measurement = self._train(trainer, seed)
        if not self.document["check"]["pass"]:
            measurement = protocol.put_no_measurement(self.document, self.parameters, self.plan)
        self.document["work"] = {"flop": 0, "bytes": 0, "items": self._images() * measurement.mini_batch}
        self.document["work_formula"] = operation.formula

    def _images(self):
        return self.training.batch * self.workers.world.size

    def _checked(self, seed):
        one = self.training
        start = training.initial_state(one.network, seed)
        bits = self._bits(arrays=check.arrays_of, gathered=self.workers.gathered)

        def trainer_of_its_own():
            return training.trainer(self.adapter, one.network, start, one.settings)

        trainer = trainer_of_its_own()
        result = check.check_training(trainer, one.network, one.settings, one.batch, start, reference.roundoff(
            self.settings.dtype, self.settings.tf32), seed, self.workers, bits)
        if result["pass"]:
            batch = check.Batch(one.network, one.batch, seed, self.workers)
            repeats = self.workers.exchange.repeats
            result.update(bits.described((lambda: batch.two_steps(trainer_of_its_own())) if repeats else None))
        return trainer, result

    def _train(self, trainer, seed):
        one, clock, own_ns = self.training, self.phases.clock, [0]
        trainer.put(*training.random_batch(one.network, one.batch, seed, self.workers.stream(4)))
        steps = max(self.plan.mini_batch, 1)
        log = report.Report(self._images() * steps, steps, one.display_every, None if self.workers.first() else open(os.devnull, "w"))
        log.header(self._header())
        loss = [0.0]

        def sample(mini_batch):
            begin = clock.steady_ns()
            for _ in range(mini_batch):
                loss[0] = trainer.step()
            own_ns[0] = clock.steady_ns() - begin
            return own_ns[0]

        with self.phases.record("warm_up_batches"):
            log.line("Running warm up")
            for _ in range(one.warmup_batches):
                trainer.step()
            log.line("Done warm up")

        def measured(nanoseconds, mini_batch):
            if not self.losses:
                log.images, log.steps = self._images() * mini_batch, mini_batch
                log.begin()
            self.losses.append(loss[0])
            self.own_ns.append(own_ns[0])
            log.sample(nanoseconds, loss[0])

        measurement = measure(self.workers.together(sample), self.plan, self.workers.clock(clock), self.phases, measured)
        total = log.end(self.phases.done[-1]["duration_ns"])
        protocol.put_measurement(self.document, self.parameters, self.plan, measurement)
        self._describe_training(log, total)
        return measurement

    def _header(self):
        one, release = self.training, self.adapter.version
        if self.name == "tensorflow":
            yield "TensorFlow", ".".join(release.split(".")[:2])
        else:
            yield "Framework", "%s %s" % (self.name, release)
        yield "Model", one.model
        yield "Dataset", "imagenet (synthetic)"
        yield "Mode", "training"
        yield "Batch size", "%d global" % self._images()
        yield "", "%d per device" % one.batch
        yield "Num batches", str(self.plan.repetitions * max(self.plan.mini_batch, 1))
        yield "Devices", self._devices()
        yield "Data format", "NCHW" if self.adapter.channels_first() else "NHWC"
        yield "Optimizer", "momentum"
        if self.workers.several:
            yield "Variables", self.workers.exchange.name
            yield "Sync", "True"

    def _devices(self):
        if not self.workers.several:
            return "['/%s:0']" % self.settings.device
        return str(["/job:worker/replica:0/task:%d/%s:0" % (rank, self.settings.device) for rank in range(self.workers.world.size)])

    def _describe_training(self, log, total):
        mean, error, jitter = report.timing(log.images, log.seconds)
        one, finite = self.training, [abs(loss) < float("inf") for loss in self.losses]
        finite = [all(said) for said in zip(*self.workers.gathered(finite))]
        flop = one.network.training_flop()
        self.document["training"] = {
            "images_per_sec": {"mean": mean, "standard_error": error, "jitter": jitter, "total": total},
            "loss": [loss if good else None for loss, good in zip(self.losses, finite)], "model": one.model,
            "flop_per_image": flop, "gflop_per_sec": flop * mean / 1e9, "parameters": one.network.parameter_count()}
        steps = log.images // self._images()
        self.document["training"].update(self.workers.described("images_per_sec", one.batch * steps, self.own_ns))
        if not all(finite):
            self.document["check"] = dict(self.document["check"], **{
                "pass": False, "detail": "the loss is not finite in sample %d: is learning_rate=%s too much?" % (
                    finite.index(False) + 1, self.parameters.text("learning_rate"))})


def run(parameters, plan, phases):
    layout = parameters.one_of("layout", ["default", "channels_last", "channels_first"])
    batches = parameters.whole_or("num_batches", "repetitions", 1, 1000000)
    if batches is not None:
        plan.repetitions = batches
    parameters.set("num_batches", plan.repetitions)
    parameters.set("repetitions", plan.repetitions)
    settings = settings_from(parameters, layout)
    asked = Training(parameters)
    workers, document = start(parameters, phases)
    if document is not None:
        return document
    training_run = TrainingRun(parameters, plan, phases, settings, workers)
    document = training_run(asked)
    workers.end()
    if training_run.adapter is not None:
        document["parameters"]["layout"] = training_run.adapter.layout
    return document


PI = protocol.Pi("train_resnet50", "training of ResNet-50 on synthetic images by a Python framework", with_framework_parameters([
    Parameter("batch", "32", "images a step"),
    Parameter("image_size", "224", "rows and columns of an image"),
    Parameter("classes", "1000", "classes of images"),
    Parameter("depth", "50", "layers: 14 and 26 (for tests), 50, 101, 152"),
    Parameter("width", "64", "filters of the first layer; 64 is ResNet's, fewer are for tests"),
    Parameter("version", "1.5", "1.5 (a block's stride is in its 3x3 convolution) or 1 (in its first 1x1)"),
    Parameter("layout", "default", "channels_last (NHWC), channels_first (NCHW) or the framework's own"),
    Parameter("learning_rate", "0.01", "of stochastic gradient descent"),
    Parameter("momentum", "0.9", "of stochastic gradient descent"),
    Parameter("num_warmup_batches", "3", "steps before the first sample"),
    Parameter("num_batches", "repetitions", "samples to take, if not `repetitions`"),
    Parameter("display_every", "10", "samples between two lines of progress"),
] + PARAMETERS, mini_batch="1", min_sample_ms="0", warmup_ms="0"), run)

if __name__ == "__main__":
    protocol.main(PI, sys.argv[1:])
