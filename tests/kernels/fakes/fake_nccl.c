// The part of NCCL that stackx-pi uses, for tests: device memory is host memory (fake_cudart.c), and
// what a group enqueued is done when it ends.
//
//   FAKE_NCCL_VERSION  [22105]
//
// WRONG builds one that errs: 1 leaves out the last rank, 2 the last rank's result is 0, 3 does
// nothing, 4 max for sum, blocks reversed.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef WRONG
#define WRONG 0
#endif
enum { kReduce, kGather, kScatter, kBroadcast, kSend, kReceive, kMostRanks = 16, kMost = 1024 };
enum { kInvalidUsage = 5 };

typedef struct {
  int rank, ranks;
} Comm;
typedef struct {
  int kind, type, operation, rank, peer;
  const void* in;
  void* out;
  size_t count;
} Call;

static Call calls[kMost];
static int queued = 0, ranks = 0;

int ncclGetVersion(int* version) {
  const char* value = getenv("FAKE_NCCL_VERSION");
  *version = value == NULL ? 22105 : atoi(value);
  return 0;
}
const char* ncclGetErrorString(int error) { return error == 0 ? "no error" : "an error that the fake made"; }
int ncclCommInitAll(void** comms, int count, const int* devices) {
  if (count > kMostRanks) return kInvalidUsage;
  for (int i = 0; i < count; ++i) {
    if (devices[i] != i) return kInvalidUsage;
    Comm* comm = malloc(sizeof(Comm));
    *comm = (Comm){i, count};
    comms[i] = comm;
  }
  ranks = count;
  return 0;
}
int ncclCommDestroy(void* comm) {
  free(comm);
  return 0;
}
int ncclGroupStart(void) {
  queued = 0;
  return 0;
}

static size_t width(int type) { return type == 8 ? 8 : type == 6 || type == 9 ? 2 : 4; }
static double get(const void* from, size_t i, int type) {
  return type == 8 ? ((const double*)from)[i]
         : type == 7 ? (double)((const float*)from)[i]
                     : ((const int32_t*)from)[i];
}
static void put(void* to, size_t i, int type, double value) {
  if (type == 8) ((double*)to)[i] = value;
  if (type == 7) ((float*)to)[i] = (float)value;
  if (type == 2) ((int32_t*)to)[i] = (int32_t)value;
}

static const Call* of_rank(int kind, int rank, int peer) {
  for (int i = 0; i < queued; ++i)
    if (calls[i].kind == kind && calls[i].rank == rank && (peer < 0 || calls[i].peer == peer)) return &calls[i];
  abort();
}

static void reduce(const Call* call, size_t offset) {
  for (size_t i = 0; i < call->count; ++i) {
    double value = get(of_rank(call->kind, 0, -1)->in, offset + i, call->type);
    for (int rank = 1; rank < ranks - (WRONG == 1); ++rank) {
      const double next = get(of_rank(call->kind, rank, -1)->in, offset + i, call->type);
      if (call->operation == 0 && WRONG != 4)
        value += next;
      else if ((call->operation == 3) == (next < value))
        value = next;
    }
    put(call->out, i, call->type, value);
  }
}

static void move(const Call* call) {
  const size_t bytes = call->count * width(call->type);
  if (call->kind == kGather)
    for (int i = 0; i < ranks; ++i) {
      if (WRONG == 1 && i == ranks - 1) continue;
      memcpy((char*)call->out + (size_t)i * bytes, of_rank(kGather, WRONG == 4 ? ranks - 1 - i : i, -1)->in, bytes);
    }
  if (call->kind == kBroadcast && !(WRONG == 1 && call->rank == ranks - 1))
    memcpy(call->out, of_rank(kBroadcast, WRONG == 4 ? ranks - 1 : call->peer, -1)->in, bytes);
  if (call->kind == kReceive && !(WRONG == 1 && call->peer == ranks - 1))
    memcpy(call->out, of_rank(kSend, WRONG == 4 ? ranks - 1 - call->peer : call->peer, call->rank)->in, bytes);
}

int ncclGroupEnd(void) {
  for (int i = 0; WRONG != 3 && i < queued; ++i) {
    const Call* call = &calls[i];
    if (call->kind == kReduce) reduce(call, 0);
    if (call->kind == kScatter) reduce(call, (size_t)call->rank * call->count);
    move(call);
    if (WRONG == 2 && call->rank == ranks - 1 && call->kind != kSend)
      memset(call->out, 0, call->count * width(call->type));
  }
  queued = 0;
  return 0;
}

static int add(int kind, const void* in, void* out, size_t count, int type, int operation, int peer, void* comm) {
  if (queued == kMost) return kInvalidUsage;
  calls[queued++] = (Call){kind, type, operation, ((Comm*)comm)->rank, peer, in, out, count};
  return 0;
}
int ncclAllReduce(const void* in, void* out, size_t count, int type, int operation, void* comm, void* stream) {
  (void)stream;
  return add(kReduce, in, out, count, type, operation, 0, comm);
}
int ncclAllGather(const void* in, void* out, size_t count, int type, void* comm, void* stream) {
  (void)stream;
  return add(kGather, in, out, count, type, 0, 0, comm);
}
int ncclReduceScatter(const void* in, void* out, size_t count, int type, int operation, void* comm, void* stream) {
  (void)stream;
  return add(kScatter, in, out, count, type, operation, 0, comm);
}
int ncclBroadcast(const void* in, void* out, size_t count, int type, int root, void* comm, void* stream) {
  (void)stream;
  return add(kBroadcast, in, out, count, type, 0, root, comm);
}
int ncclSend(const void* in, size_t count, int type, int to, void* comm, void* stream) {
  (void)stream;
  return add(kSend, in, NULL, count, type, 0, to, comm);
}
int ncclRecv(void* out, size_t count, int type, int from, void* comm, void* stream) {
  (void)stream;
  return add(kReceive, NULL, out, count, type, 0, from, comm);
}
