// The peer for all_reduce: the loops of OSU's osu_allreduce (osu-micro-benchmarks, c/mpi/collective/osu_allreduce.c) and of
// nccl-tests (common.cu), written again in short; compiled with the mpicc of the library that is measured.
// usage: mpirun -n N osu_peer osu|loop REPETITIONS WARMUP_CALLS CALLS BYTES
//   loop  a barrier, CALLS calls, the largest time of the ranks; as nccl-tests with -a 3
//   osu   each call timed alone, a barrier after each; the mean of the ranks, as osu_allreduce prints it
// Prints the median nanoseconds of a call (float32, sum, out of place).
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int by_value(const void* x, const void* y) {
  const double d = *(const double*)x - *(const double*)y;
  return (d > 0) - (d < 0);
}

static float* pages(size_t bytes) {  // as stackx-pi has them
  float* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) exit(3);
  return memory;
}

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const int osu = strcmp(argv[1], "osu") == 0, repetitions = atoi(argv[2]), warm_up = atoi(argv[3]), calls = atoi(argv[4]);
  const size_t bytes = (size_t)atoll(argv[5]);
  const int count = (int)(bytes / sizeof(float));
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  float *in = pages(bytes), *out = pages(bytes);
  for (int i = 0; i < count; ++i) in[i] = (float)(rank + i % 7), out[i] = -1;
  for (int i = 0; i < warm_up; ++i) MPI_Allreduce(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  double* samples = malloc(sizeof(double) * (size_t)repetitions);
  for (int i = 0; i < repetitions; ++i) {
    double mine = 0, all = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (osu) {
      for (int call = 0; call < calls; ++call) {
        const double begin = MPI_Wtime();
        MPI_Allreduce(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        mine += MPI_Wtime() - begin;
        MPI_Barrier(MPI_COMM_WORLD);
      }
    } else {
      const double begin = MPI_Wtime();
      for (int call = 0; call < calls; ++call) MPI_Allreduce(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      mine = MPI_Wtime() - begin;
    }
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, osu ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
    samples[i] = (osu ? all / ranks : all) / calls * 1e9;
  }
  qsort(samples, (size_t)repetitions, sizeof(double), by_value);
  if (rank == 0) printf("%.3f\n", (samples[(repetitions - 1) / 2] + samples[repetitions / 2]) / 2);
  MPI_Finalize();
  return 0;
}
