// The part of libcuda that stackx-pi uses, for tests: devices without a GPU. Device memory is host
// memory, and kernels are C functions found by name.
//
//   FAKE_CUDA_DRIVER   the CUDA version it supports [12040]
//   FAKE_CUDA_INIT     what cuInit returns [0]
//   FAKE_CUDA_DEVICES  how many GPUs the machine has [1]; GPU g has the UUID gg000000-...-00 and,
//                      where FAKE_CUDA_MIG is set, one MIG instance, with the UUID 8g000000-...
//   FAKE_CUDA_KERNELS  a shared library with further kernels: void name(grid, block, arguments)
//                      [libfake_cuda_kernels.so, if the loader finds one]
//   CUDA_VISIBLE_DEVICES  indices, GPU-... or MIG-... (or beginnings of them), as CUDA reads it
//
// WRONG builds a driver whose kernels err: 1 copy and write leave the last element, 2 triad takes
// another scalar, 3 read leaves out the last tile, 4 launches do nothing, 5 launch twice, 6 no PTX.
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef WRONG
#define WRONG 0
#endif

enum {
  kSuccess = 0,
  kInvalidValue = 1,
  kNotInitialized = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kNoBinary = 209,
  kNotFound = 500
};
enum { kMostVisible = 16 };

typedef struct {
  unsigned char bytes[16];
} Uuid;
typedef void Kernel(const unsigned* grid, const unsigned* block, void** arguments);

static struct { int gpu, mig; } visible[kMostVisible];
static int count = -1;  // -1: not initialised

static int setting(const char* name, int fallback) {
  const char* value = getenv(name);
  return value == NULL ? fallback : atoi(value);
}

static Uuid uuid_of(int gpu, int mig) {
  Uuid uuid = {{0}};
  uuid.bytes[0] = (unsigned char)((mig ? 0x80 : gpu << 4) | gpu);
  return uuid;
}

static int names(const char* text, int gpu, int mig) {
  char uuid[16];
  snprintf(uuid, sizeof uuid, "%s-%02x000000", mig ? "MIG" : "GPU", uuid_of(gpu, mig).bytes[0]);
  const size_t length = strlen(text) < strlen(uuid) ? strlen(text) : strlen(uuid);
  return length >= 5 && strncmp(text, uuid, length) == 0;
}

static void show(int gpu, int mig) {
  visible[count].gpu = gpu;
  visible[count++].mig = mig;
}

static void find_visible(void) {
  const int gpus = setting("FAKE_CUDA_DEVICES", 1), migs = getenv("FAKE_CUDA_MIG") != NULL;
  const char* wanted = getenv("CUDA_VISIBLE_DEVICES");
  count = 0;
  if (wanted == NULL) {
    for (int gpu = 0; gpu < gpus; ++gpu) show(gpu, 0);
    return;
  }
  char* list = strdup(wanted);
  for (char* word = strtok(list, ","); word != NULL; word = strtok(NULL, ",")) {
    const int before = count;
    for (int gpu = 0; gpu < gpus; ++gpu)
      for (int mig = 0; mig <= migs; ++mig) {
        char* end;
        const int is_index = !mig && strtol(word, &end, 10) == gpu && end != word && *end == '\0';
        if (is_index || names(word, gpu, mig)) show(gpu, mig);
      }
    if (count == before) break;  // what follows an unknown device is not visible
  }
  free(list);
}

int cuInit(unsigned flags) {
  if (flags != 0) return kInvalidValue;
  const int status = setting("FAKE_CUDA_INIT", kSuccess);
  if (status != kSuccess) return status;
  find_visible();
  return count == 0 ? kNoDevice : kSuccess;
}
int cuDriverGetVersion(int* version) {
  *version = setting("FAKE_CUDA_DRIVER", 12040);
  return kSuccess;
}
int cuGetErrorName(int error, const char** name) {
  *name = error == kNoDevice        ? "CUDA_ERROR_NO_DEVICE"
          : error == kInvalidDevice ? "CUDA_ERROR_INVALID_DEVICE"
          : error == kNoBinary      ? "CUDA_ERROR_NO_BINARY_FOR_GPU"
                                    : NULL;
  return *name == NULL ? kInvalidValue : kSuccess;
}
int cuGetErrorString(int error, const char** text) {
  *text = error == kNoDevice ? "no CUDA-capable device is detected" : "an error that the fake made";
  return kSuccess;
}

int cuDeviceGetCount(int* result) {
  if (count < 0) return kNotInitialized;
  *result = count;
  return kSuccess;
}
int cuDeviceGet(int* device, int ordinal) {
  if (ordinal < 0 || ordinal >= count) return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}
int cuDeviceGetName(char* name, int length, int device) {
  snprintf(name, (size_t)length, visible[device].mig ? "Fake H100 MIG 1g.10gb" : "Fake H100");
  return kSuccess;
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  if (device < 0 || device >= count) return kInvalidDevice;
  *value = attribute == 16   ? 4        // multiprocessors
           : attribute == 38 ? 1 << 20  // L2
           : attribute == 75 ? 9        // compute capability
           : attribute == 36 ? 2619000  // memory clock, kHz
           : attribute == 37 ? 5120     // bus, bits
                             : 0;
  return kSuccess;
}
int cuDeviceGetUuid(Uuid* uuid, int device) {
  *uuid = uuid_of(visible[device].gpu, 0);
  return kSuccess;
}
int cuDeviceGetUuid_v2(Uuid* uuid, int device) {
  *uuid = uuid_of(visible[device].gpu, visible[device].mig);
  return kSuccess;
}
int cuDeviceGetPCIBusId(char* id, int length, int device) {
  snprintf(id, (size_t)length, "0000:%02X:00.0", 0x1a + visible[device].gpu);
  return kSuccess;
}
int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  (void)device;
  *bytes = (size_t)1 << 30;
  return kSuccess;
}
int cuCtxGetCurrent(void** context) {
  *context = visible;
  return kSuccess;
}
int cuCtxSynchronize(void) { return kSuccess; }

// --- kernels, as kernels/cuda/ptx.hpp has them ---

static size_t doubles(const unsigned* grid, const unsigned* block) {
  if (block[0] != 256) abort();
  return (size_t)grid[0] * 2048;
}
static void stackx_copy(const unsigned* grid, const unsigned* block, void** arguments) {
  double *a = *(double**)arguments[0], *b = *(double**)arguments[1];
  memcpy(a, b, (doubles(grid, block) - (WRONG == 1)) * sizeof *a);
}
static void stackx_triad(const unsigned* grid, const unsigned* block, void** arguments) {
  double *a = *(double**)arguments[0], *b = *(double**)arguments[1], *c = *(double**)arguments[2];
  const double s = *(double*)arguments[3] + (WRONG == 2 ? 0.5 : 0);
  for (size_t i = 0; i < doubles(grid, block); ++i) a[i] = b[i] + s * c[i];
}
static void stackx_write(const unsigned* grid, const unsigned* block, void** arguments) {
  double *a = *(double**)arguments[0], s = *(double*)arguments[1];
  for (size_t i = 0; i < doubles(grid, block) - (WRONG == 1); ++i) a[i] = s;
}
static void stackx_read(const unsigned* grid, const unsigned* block, void** arguments) {
  double *a = *(double**)arguments[0], *b = *(double**)arguments[1];
  const size_t tiles = *(unsigned*)arguments[2] - (WRONG == 3);
  for (size_t thread = 0; thread < (size_t)grid[0] * block[0]; ++thread) a[thread] = 0;
  for (size_t i = 0; i < tiles * 2048; ++i)  // which thread sums it does not matter to the total
    a[i / 2048 % grid[0] * block[0] + i / 2 % block[0]] += b[i];
}
static void stackx_count(const unsigned* grid, const unsigned* block, void** arguments) {
  unsigned* counter = *(unsigned**)arguments[0];
  if (counter != NULL) *counter += grid[0] * block[0];
}

static Kernel* kernel_named(const char* name) {
  if (strcmp(name, "stackx_copy") == 0) return stackx_copy;
  if (strcmp(name, "stackx_triad") == 0) return stackx_triad;
  if (strcmp(name, "stackx_write") == 0) return stackx_write;
  if (strcmp(name, "stackx_read") == 0) return stackx_read;
  if (strcmp(name, "stackx_count") == 0) return stackx_count;
  const char* more = getenv("FAKE_CUDA_KERNELS");
  void* library = dlopen(more == NULL ? "libfake_cuda_kernels.so" : more, RTLD_NOW);
  Kernel* found = NULL;
  if (library != NULL) *(void**)&found = dlsym(library, name);
  return found;
}

int cuModuleLoadDataEx(void** module, const void* image, unsigned options, int* option_names,
                       void** values) {
  if (image == NULL || strlen(image) == 0) return kInvalidValue;
  if (WRONG == 6) {
    for (unsigned i = 0; i < options; ++i)
      if (option_names[i] == 5) strcpy(values[i], "ptxas fatal: a log by the fake");
    return kNoBinary;
  }
  *module = visible;
  return kSuccess;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  if (module != visible) abort();
  Kernel* kernel = kernel_named(name);
  memcpy(function, &kernel, sizeof kernel);
  return kernel == NULL ? kNotFound : kSuccess;
}
int cuModuleUnload(void* module) { return module == visible ? kSuccess : kInvalidValue; }
int cuFuncGetAttribute(int* value, int attribute, void* function) {
  (void)attribute, (void)function;
  *value = 0;
  return kSuccess;
}
int cuFuncSetAttribute(void* function, int attribute, int value) {
  (void)function, (void)attribute, (void)value;
  return kSuccess;
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared_bytes, void* stream, void** arguments,
                   void** extra) {
  (void)shared_bytes;
  if (stream == NULL || extra != NULL) abort();  // all work belongs on our own stream
  Kernel* kernel;
  memcpy(&kernel, &function, sizeof kernel);
  const unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};
  for (int i = 0; i < (WRONG == 4 ? 0 : WRONG == 5 ? 2 : 1); ++i) kernel(grid, block, arguments);
  return kSuccess;
}
