/* A libnvidia-ml.so.1 that plays a machine: how many GPUs, which errors, which functions are
 * missing. */
#include <stdio.h>
#include <string.h>

#ifndef GPUS
#define GPUS 2
#endif
#ifndef INIT_STATUS
#define INIT_STATUS 0
#endif
#ifndef LOST_GPU
#define LOST_GPU 99
#endif

struct memory {
  unsigned long long total, free, used;
};
struct pci {
  char legacy[16];
  unsigned domain, bus, device, id, subsystem;
  char bus_id[32];
};

static int gpus[2] = {0, 1};
static int started = 0;

int nvmlInit_v2(void) {
  started = INIT_STATUS == 0;
  return INIT_STATUS;
}
int nvmlShutdown(void) {
  started = 0;
  return 0;
}

static int answer(char* text, unsigned size, const char* what) {
  if (!started) return 1;
  if (strlen(what) + 1 > size) return 7;
  strcpy(text, what);
  return 0;
}

int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  return answer(text, size, "550.54.15");
}

#ifndef WITHOUT_COUNT
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = GPUS;
  return started ? 0 : 1;
}
#endif

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (!started) return 1;
  if ((int)index >= GPUS) return 2;
  if (index == LOST_GPU) return 15;
  *device = &gpus[index];
  return 0;
}
int nvmlDeviceGetName(void* device, char* text, unsigned size) {
  if (*(int*)device >= 100)
    return answer(text, size, *(int*)device == 100 ? "NVIDIA H200 MIG 1g.18gb" : "NVIDIA H200 MIG 3g.71gb");
  return answer(text, size, *(int*)device == 0 ? "NVIDIA H200" : "Tesla V100-SXM2-16GB");
}
int nvmlDeviceGetUUID(void* device, char* text, unsigned size) {
  if (*(int*)device >= 100)
    return answer(text, size,
                  *(int*)device == 100 ? "MIG-aaaa1111-0000-0000-0000-000000000000"
                                       : "MIG-aaaa2222-0000-0000-0000-000000000000");
  return answer(text, size,
                *(int*)device == 0 ? "GPU-11111111-2222-3333-4444-555555555555"
                                   : "GPU-66666666-7777-8888-9999-aaaaaaaaaaaa");
}
int nvmlDeviceGetMemoryInfo(void* device, struct memory* memory) {
  memory->total = *(int*)device == 0 ? 150754820096ULL : 16945512448ULL;
  memory->free = memory->used = 0;
  return started ? 0 : 1;
}

const char* nvmlErrorString(int status) {
  switch (status) {
    case 9:
      return "Driver Not Loaded";
    case 15:
      return "GPU is lost";
    case 18:
      return "Driver/library version mismatch";
    default:
      return "Unknown Error";
  }
}

#ifdef MIG /* the first card is split in two, of the seven places that there are */
static int parts[2] = {100, 101};
struct attributes {
  unsigned counts[8];
  unsigned long long memory_mib;
};
static int is_part(void* device) { return *(int*)device >= 100; }
int nvmlDeviceGetMigMode(void* device, unsigned* current, unsigned* pending) {
  if (*(int*)device != 0) return 3; /* not supported */
  *current = *pending = 1;
  return started ? 0 : 1;
}
int nvmlDeviceGetMaxMigDeviceCount(void* device, unsigned* count) {
  (void)device;
  *count = 7;
  return started ? 0 : 1;
}
int nvmlDeviceGetMigDeviceHandleByIndex(void* device, unsigned index, void** part) {
  (void)device;
  if (index != 1 && index != 4) return 6; /* not found */
  *part = &parts[index == 4];
  return started ? 0 : 1;
}
int nvmlDeviceGetAttributes_v2(void* device, struct attributes* attributes) {
  memset(attributes, 0, sizeof *attributes);
  attributes->memory_mib = *(int*)device == 100 ? 18432 : 71680;
  return is_part(device) && started ? 0 : 1;
}
#endif

#ifndef OLD_DRIVER /* these came after CUDA 9 */
int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = 12040;
  return started ? 0 : 1;
}
int nvmlDeviceGetPciInfo_v3(void* device, struct pci* pci) {
  memset(pci, 0, sizeof *pci);
  snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:%02X:00.0", *(int*)device == 0 ? 0x17 : 0xB3);
  return started ? 0 : 1;
}
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  *major = *(int*)device == 0 ? 9 : 7;
  *minor = 0;
  return started ? 0 : 1;
}
#endif
