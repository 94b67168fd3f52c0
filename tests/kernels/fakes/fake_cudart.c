// The part of libcudart that stackx-pi uses, for tests. Device memory is host memory, and all is done
// when a call returns. Works with fake_cuda_driver.c, knows nothing of it.
//
//   FAKE_CUDART_VERSION  [12040]
//   FAKE_CUDA_MEMORY     largest allocation in bytes [2^30]
//   FAKE_CUDA_FREE       bytes of the device that are free [2^30]
//   CUDA_FAKE_FAULT      WHAT or WHAT@N: what each wait from the Nth on [1] ends with: an error's number, as of a context that
//                        is lost; "kill": the process is; "hang": no end (the name is one that catalogs may set)
//   FAKE_CUDA_SET_DEVICE what cudaSetDevice returns [0]
//   FAKE_CUDA_EVENTS     negative, nan, long: what elapsed times are instead of the time that passed
//
// WRONG builds a runtime that errs: 1 copies to the device lose their last byte, 2 from the device,
// 3 within the device, 4 has no cudaEventRecord, 5 launches by the runtime do nothing.
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef WRONG
#define WRONG 0
#endif

typedef struct {
  unsigned x, y, z;
} Dim3;
typedef struct {
  double milliseconds;  // 0: not recorded
} Event;

enum { kSuccess = 0, kInvalidValue = 1, kMemoryAllocation = 2, kInvalidDevice = 101 };

static int device = -1;
static int version(void) {
  const char* value = getenv("FAKE_CUDART_VERSION");
  return value == NULL ? 12040 : atoi(value);
}

int cudaRuntimeGetVersion(int* result) {
  *result = version();
  return kSuccess;
}
int cudaDriverGetVersion(int* result) {
  *result = 12040;
  return kSuccess;
}
static const struct { int number; const char *name, *text; } kErrors[] = {
    {kMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {46, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
    {209, "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"},
    {214, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
    {700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {999, "cudaErrorUnknown", "unknown error"},
    {-1, "cudaErrorFake", "an error that the fake made"}};
static int place_of(int error) {
  int i = 0;
  while (kErrors[i].number != error && kErrors[i].number != -1) ++i;
  return i;
}
const char* cudaGetErrorName(int error) { return kErrors[place_of(error)].name; }
const char* cudaGetErrorString(int error) { return kErrors[place_of(error)].text; }
int cudaGetLastError(void) { return kSuccess; }

int cudaSetDevice(int ordinal) {
  if (ordinal < 0) return kInvalidDevice;
  const char* status = getenv("FAKE_CUDA_SET_DEVICE");
  if (status != NULL) return atoi(status);
  device = ordinal;
  return kSuccess;
}
int cudaGetDevice(int* ordinal) {
  *ordinal = device;
  return kSuccess;
}
int cudaDeviceGetAttribute(int* value, int attribute, int ordinal) {
  (void)attribute, (void)ordinal;
  *value = 0;
  return kSuccess;
}
int cudaDeviceSynchronize(void) { return kSuccess; }
int cudaMemGetInfo(size_t* unused, size_t* total) {
  const char* bytes = getenv("FAKE_CUDA_FREE");
  *total = (size_t)1 << 30;
  *unused = bytes == NULL ? *total : strtoull(bytes, NULL, 10);
  return kSuccess;
}

int cudaMalloc(void** pointer, size_t bytes) {
  if (device < 0) abort();
  const char* most = getenv("FAKE_CUDA_MEMORY");
  if (bytes > (most == NULL ? (size_t)1 << 30 : strtoull(most, NULL, 10))) return kMemoryAllocation;
  *pointer = malloc(bytes);
  memset(*pointer, 0xcd, bytes);
  return kSuccess;
}
int cudaFree(void* pointer) {
  free(pointer);
  return kSuccess;
}
int cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  if (flags != 0) abort();
  return cudaMalloc(pointer, bytes);
}
int cudaFreeHost(void* pointer) { return cudaFree(pointer); }

int cudaMemcpy(void* to, const void* from, size_t bytes, int kind) {
  if (kind < 1 || kind > 3) return kInvalidValue;
  memcpy(to, from, bytes - (kind == WRONG));
  return kSuccess;
}
int cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void* stream) {
  if (stream == NULL) abort();
  return cudaMemcpy(to, from, bytes, kind);
}
int cudaMemset(void* pointer, int value, size_t bytes) {
  memset(pointer, value, bytes);
  return kSuccess;
}
int cudaMemsetAsync(void* pointer, int value, size_t bytes, void* stream) {
  if (stream == NULL) abort();
  return cudaMemset(pointer, value, bytes);
}

int cudaStreamCreateWithFlags(void** stream, unsigned flags) {
  if (flags != 1) abort();  // blocking streams wait for the default stream
  *stream = malloc(1);
  return kSuccess;
}
int cudaStreamDestroy(void* stream) {
  free(stream);
  return kSuccess;
}
int cudaStreamSynchronize(void* stream) {
  if (stream == NULL) abort();
  static int waits = 0;
  const char* fault = getenv("CUDA_FAKE_FAULT");
  const char* from = fault == NULL ? NULL : strchr(fault, '@');
  if (fault == NULL || ++waits < (from == NULL ? 1 : atoi(from + 1))) return kSuccess;
  if (strncmp(fault, "kill", 4) == 0) raise(SIGKILL);
  while (strncmp(fault, "hang", 4) == 0) pause();
  return atoi(fault);
}
int cudaStreamWaitEvent(void* stream, void* event, unsigned flags) {
  if (stream == NULL || ((Event*)event)->milliseconds == 0 || flags != 0) abort();
  return kSuccess;
}

int cudaEventCreateWithFlags(void** event, unsigned flags) {
  if (flags != 0 && flags != 2) abort();
  *event = calloc(1, sizeof(Event));
  return kSuccess;
}
int cudaEventDestroy(void* event) {
  free(event);
  return kSuccess;
}
#if WRONG != 4
int cudaEventRecord(void* event, void* stream) {
  if (stream == NULL) abort();
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  ((Event*)event)->milliseconds = (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
  return kSuccess;
}
#endif
int cudaEventSynchronize(void* event) { return event == NULL ? kInvalidValue : kSuccess; }
int cudaEventElapsedTime(float* result, void* begin, void* end) {
  const Event *from = begin, *to = end;
  if (from->milliseconds == 0 || to->milliseconds == 0) return kInvalidValue;
  const double passed = to->milliseconds - from->milliseconds;
  const char* how = getenv("FAKE_CUDA_EVENTS");
  *result = (float)(how == NULL                    ? passed
                    : strcmp(how, "negative") == 0 ? -1
                    : strcmp(how, "nan") == 0      ? NAN
                                                   : 1000 + 10 * passed);
  return kSuccess;
}

// Only the kernel of launch_latency, which counts.
int cudaLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** arguments,
                     size_t shared_bytes, void* stream) {
  if (function != cudaLaunchKernel || shared_bytes != 0 || stream == NULL) abort();
  unsigned* counter = *(unsigned**)arguments[0];
  if (counter != NULL && WRONG != 5) *counter += grid.x * grid.y * grid.z * block.x;
  return kSuccess;
}
int cudaLibraryLoadData(void** library, const void* code, int* jit_options, void** jit_values,
                        unsigned jit_count, int* options, void** values, unsigned count) {
  if (jit_options || jit_values || jit_count || options || values || count) abort();
  if (strstr(code, "stackx_count") == NULL) return kInvalidValue;
  *library = &device;
  return kSuccess;
}
int cudaLibraryGetKernel(void** kernel, void* library, const char* name) {
  if (library != &device || strcmp(name, "stackx_count") != 0) return kInvalidValue;
  *kernel = (void*)cudaLaunchKernel;
  return kSuccess;
}
