"""Data parallel training: N workers, each with the whole model and a batch of its own, which take the mean of their gradients in each
step and so remain alike. What the parameters `workers` and `exchange` of train_resnet50 and transformer (phase=train) mean.

workers.py           who they are, what they agree on
exchange.py          what a trainer calls; of one worker it does nothing
with_torch.py        ddp: DistributedDataParallel, over Gloo on CPUs and NCCL on GPUs
with_tensorflow2.py  mirrored: MultiWorkerMirroredStrategy's all-reduce, over gRPC and NCCL
with_tensorflow1.py  servers: parameter servers with SyncReplicasOptimizer
with_jax.py          pmap: jax.distributed and pmean, over Gloo and NCCL
addresses.py         where a worker is reached
mpi.py               mpi: gradients in one buffer of the host, MPI_Allreduce (mpi4py), in every framework: as Horovod does

A sample is a step of all workers, begun together; its time is that of the slowest. Weak scaling: `batch` is a worker's, items are
those of all. Batch norm sees a worker's own batch, as tf_cnn_benchmarks' and torchvision's do.

Check: every worker trains on images (tokens) of its own. The right gradient is the mean of what the reference finds for each, told by
ranks.circle and not by what is measured; weights and updates are compared in every worker. One that takes no mean, a sum, or the mean
of some of them, is found out, and so are workers that drift apart. Asynchronous updates have no such answer and are not offered.
"""
