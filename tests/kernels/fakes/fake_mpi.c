// The part of MPI that stackx-pi uses, for tests: ranks are processes of one machine that meet in a
// file (FAKE_MPI_FILE), which fake_mpirun makes. OPEN: handles as Open MPI has them, else MPICH's.
//
// WRONG builds a library that errs:
//    1 leaves out the last rank         6 no rank hears of the others
//    2 one element is 0                 7 only the last rank's result is 0
//    3 the last quarter is not written  8 the last rank is killed in its third call
//    4 the result comes 200 ms late     9 adds in float, whatever the type
//    5 max for sum, blocks reversed    10 MPI_Send fails in rank 1
//                                      11 right, but the last rank's bits change from call to call
//                                      12 the last bit of the last rank's first element is the other
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef WRONG
#define WRONG 0
#endif
#define RANKS 8
#define SLOT (4 << 20)
#define MAIL 512

#ifdef OPEN
typedef void* Handle;
char ompi_mpi_comm_world[8], ompi_mpi_byte[8], ompi_mpi_float[8], ompi_mpi_double[8], ompi_mpi_int[8];
char ompi_mpi_op_sum[8], ompi_mpi_op_max[8], ompi_mpi_op_min[8];
#define FLOAT ((Handle)ompi_mpi_float)
#define DOUBLE ((Handle)ompi_mpi_double)
#define INT ((Handle)ompi_mpi_int)
#define SUM ((Handle)ompi_mpi_op_sum)
#define MAX ((Handle)ompi_mpi_op_max)
#define VERSION "Open MPI v9.8.7, package: Fake, ident: 9.8.7"
#define STATUS_IGNORE ((void*)0)
#else
typedef int Handle;
#define FLOAT 0x4c00040a
#define DOUBLE 0x4c00080b
#define INT 0x4c000405
#define SUM 0x58000003
#define MAX 0x58000001
#define VERSION "MPICH Version:\t9.8.7\nMPICH Release date:\tnever\n"
#define STATUS_IGNORE ((void*)1)
#endif

typedef struct {
  _Atomic int full;
  char data[MAIL];
} Mail;
typedef struct {
  _Atomic int arrived, round;
  Mail mail[RANKS][RANKS];
  char slot[RANKS][SLOT];
} Shared;

static Shared* shared;
static int size = 1, self = 0, calls = 0;

static int number(const char* name, int fallback) {
  const char* value = getenv(name);
  return value == NULL ? fallback : atoi(value);
}

int MPI_Init(int* argc, char*** argv) {
  (void)argc, (void)argv;
  size = number("PMI_SIZE", 1), self = number("PMI_RANK", 0);
  if (size > RANKS) abort();
  const char* file = getenv("FAKE_MPI_FILE");
  const int handle = file == NULL ? -1 : open(file, O_RDWR);
  if (handle >= 0 && ftruncate(handle, sizeof(Shared)) != 0) abort();
  shared = mmap(NULL, sizeof(Shared), PROT_READ | PROT_WRITE,
                handle < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, handle, 0);
  return shared == MAP_FAILED;
}
int MPI_Finalize(void) {
  while (self == 1 && getenv("FAKE_MPI_STAYS") != NULL) pause();  // as MPICH before 4.2 can
  return 0;
}
int MPI_Abort(Handle world, int status) {
  (void)world;
  _exit(status);
}
int MPI_Comm_size(Handle world, int* result) {
  (void)world;
  *result = size;
  return 0;
}
int MPI_Comm_rank(Handle world, int* result) {
  (void)world;
  *result = self;
  return 0;
}
int MPI_Get_library_version(char* text, int* length) {
  strcpy(text, VERSION);
  *length = (int)strlen(text);
  return 0;
}

int MPI_Barrier(Handle world) {
  (void)world;
  const int round = shared->round;
  if (++shared->arrived == size) {
    shared->arrived = 0;
    ++shared->round;
  } else {
    while (shared->round == round) sched_yield();
  }
  return 0;
}

int MPI_Send(const void* data, int count, Handle type, int to, int tag, Handle world) {
  (void)type, (void)tag, (void)world;
  if (WRONG == 10 && self == 1) return 13;
  Mail* mail = &shared->mail[self][to];
  while (mail->full) sched_yield();
  memcpy(mail->data, data, (size_t)count);
  mail->full = 1;
  return 0;
}
int MPI_Recv(void* data, int count, Handle type, int from, int tag, Handle world, void* status) {
  (void)type, (void)tag, (void)world;
  if (status != STATUS_IGNORE) abort();
  Mail* mail = &shared->mail[from][self];
  while (!mail->full) sched_yield();
  memcpy(data, mail->data, (size_t)count);
  mail->full = 0;
  return 0;
}

static size_t width(Handle type) { return type == DOUBLE ? 8 : type == FLOAT || type == INT ? 4 : 1; }

static double get(const void* from, size_t i, Handle type) {
  return type == DOUBLE  ? ((const double*)from)[i]
         : type == FLOAT ? (double)((const float*)from)[i]
                         : ((const int*)from)[i];
}
static void put(void* to, size_t i, Handle type, double value) {
  if (type == DOUBLE) ((double*)to)[i] = value;
  if (type == FLOAT) ((float*)to)[i] = (float)value;
  if (type == INT) ((int*)to)[i] = (int)value;
}

static void share(const void* in, size_t bytes) {
  if (bytes > SLOT) abort();
  memcpy(shared->slot[self], in, bytes);
  if (WRONG == 8 && self == size - 1 && ++calls == 3) raise(SIGKILL);
  MPI_Barrier(0);
}

typedef struct {
  void *to, *from;
  size_t bytes;
} Late;
static void* deliver(void* argument) {
  Late* late = argument;
  usleep(200000);
  memcpy(late->to, late->from, late->bytes);
  return NULL;
}

// `result` is right; hands it over as the build does.
static void finish(void* out, void* result, size_t bytes, size_t element) {
  if (WRONG == 2) memset((char*)result + bytes / element / 2 * element, 0, element);
  if (WRONG == 7 && self == size - 1) memset(result, 0, bytes);
  if (WRONG == 12 && self == size - 1) *(char*)result ^= 1;  // little-endian
  if (WRONG == 3) bytes -= bytes / 4;
  if (WRONG == 4) {
    Late* late = malloc(sizeof(*late));
    *late = (Late){out, result, bytes};
    pthread_t thread;
    pthread_create(&thread, NULL, deliver, late);
  } else {
    memcpy(out, result, bytes);
    free(result);
  }
  MPI_Barrier(0);
}

static void reduce(void* out, size_t count, size_t offset, Handle type, Handle operation) {
  const int first = WRONG == 6 ? self : 0, end = WRONG == 6 ? self + 1 : size - (WRONG == 1);
  char* result = malloc(count * width(type));
  for (size_t i = 0; i < count; ++i) {
    double value = get(shared->slot[first], offset + i, type);
    for (int rank = first + 1; rank < end; ++rank) {
      const double next = get(shared->slot[rank], offset + i, type);
      if (operation == SUM && WRONG != 5)
        value = WRONG == 9 ? (double)((float)value + (float)next) : value + next;
      else if (operation == MAX || WRONG == 5)
        value = next > value ? next : value;
      else
        value = next < value ? next : value;
    }
    put(result, i, type, value);
  }
  if (WRONG == 11 && self == size - 1 && type == FLOAT && ++calls % 2 == 0)
    *(float*)result = nextafterf(*(float*)result, 9);
  finish(out, result, count * width(type), width(type));
}

int MPI_Allreduce(const void* in, void* out, int count, Handle type, Handle operation, Handle world) {
  (void)world;
  share(in, (size_t)count * width(type));
  reduce(out, (size_t)count, 0, type, operation);
  return 0;
}
int MPI_Reduce_scatter_block(const void* in, void* out, int count, Handle type, Handle operation,
                             Handle world) {
  (void)world;
  share(in, (size_t)(count * size) * width(type));
  reduce(out, (size_t)count, (size_t)(self * count), type, operation);
  return 0;
}

// Block i of the result is that of rank i, from `offset` on.
static void gather(void* out, size_t block, size_t offset, size_t element) {
  const size_t bytes = block * (size_t)size;
  char* result = malloc(bytes);
  for (int i = 0; i < size; ++i) {
    const int wanted = WRONG == 5 ? size - 1 - i : i;
    const int rank = WRONG == 6 ? self : WRONG == 1 && wanted == size - 1 ? 0 : wanted;
    memcpy(result + (size_t)i * block, shared->slot[rank] + offset, block);
  }
  finish(out, result, bytes, element);
}

int MPI_Allgather(const void* in, int count, Handle type, void* out, int count_out, Handle type_out,
                  Handle world) {
  (void)count_out, (void)type_out, (void)world;
  const size_t block = (size_t)count * width(type);
  share(in, block);
  gather(out, block, 0, width(type));
  return 0;
}
int MPI_Alltoall(const void* in, int count, Handle type, void* out, int count_out, Handle type_out,
                 Handle world) {
  (void)count_out, (void)type_out, (void)world;
  const size_t block = (size_t)count * width(type);
  share(in, block * (size_t)size);
  gather(out, block, (size_t)self * block, width(type));
  return 0;
}
int MPI_Bcast(void* data, int count, Handle type, int root, Handle world) {
  (void)world;
  const size_t bytes = (size_t)count * width(type);
  share(data, bytes);
  int from = WRONG == 5 ? size - 1 : WRONG == 6 ? self : root;
  if (WRONG == 1 && self == size - 1) from = self;
  char* result = malloc(bytes);
  memcpy(result, shared->slot[from], bytes);
  finish(data, result, bytes, width(type));
  return 0;
}
