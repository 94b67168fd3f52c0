/* A libnvidia-ml.so.1 that plays a machine: how many GPUs, which errors, which functions are
 * missing. */
#include <stdio.h>
#include <string.h>
#ifdef ENERGY
#include <time.h>
#endif
#ifdef MEMORY
#include <stdlib.h>
#endif

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

static int gpus[4] = {0, 1, 2, 3};
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
  *device = &gpus[index % 4];
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
#ifndef MEMORY
int nvmlDeviceGetMemoryInfo(void* device, struct memory* memory) {
  memory->total = *(int*)device == 0 ? 150754820096ULL : 16945512448ULL;
  memory->free = memory->used = 0;
  return started ? 0 : 1;
}
#endif

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
static unsigned bus_of(int gpu) {
  static const unsigned buses[4] = {0x17, 0xB3, 0xC3, 0xD3};
  return buses[gpu];
}
int nvmlDeviceGetPciInfo_v3(void* device, struct pci* pci) {
  memset(pci, 0, sizeof *pci);
  pci->bus = bus_of(*(int*)device);
  snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:%02X:00.0", pci->bus);
  return started ? 0 : 1;
}
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  *major = *(int*)device == 0 ? 9 : 7;
#ifdef BRIDGED
  *major = 8; /* A100 */
#elif defined SWITCHED
  *major = 9; /* H100 */
#endif
  *minor = 0;
  return started ? 0 : 1;
}
#endif

/* What joins the GPUs. BRIDGED: 0 with 1 and 2 with 3 by four NVLinks, a fifth of each is down; each pair has a
 * socket of its own. SWITCHED: all with an NVSwitch, the first by 18 links, the others by 17. SILENT: nothing of
 * it is supported. */
#if defined BRIDGED || defined SWITCHED || defined SILENT
#ifdef SILENT
#define SUPPORTED 0
#else
#define SUPPORTED 1
#endif
static int number(void* device) { return *(int*)device; }
static int reply(unsigned* place, unsigned value) {
  if (!started) return 1;
  if (!SUPPORTED) return 3;
  *place = value;
  return 0;
}
int nvmlDeviceGetMaxPcieLinkGeneration(void* device, unsigned* generation) {
  (void)device;
  return reply(generation, 4);
}
int nvmlDeviceGetMaxPcieLinkWidth(void* device, unsigned* width) {
  return reply(width, number(device) == 3 ? 8 : 16);
}
int nvmlDeviceGetTopologyCommonAncestor(void* a, void* b, unsigned* level) {
#ifdef STRANGE
  return reply(level, 35);
#endif
  return reply(level, number(a) / 2 == number(b) / 2 ? 30 : 50);
}
int nvmlDeviceGetNvLinkState(void* device, unsigned link, unsigned* active) {
#ifdef BRIDGED
  (void)device;
  if (link > 4) return 2; /* no such link */
  return reply(active, link < 4);
#else
  if (link > 17) return 2;
  return reply(active, number(device) == 0 || link < 17);
#endif
}
int nvmlDeviceGetNvLinkVersion(void* device, unsigned link, unsigned* version) {
  (void)device, (void)link;
#ifdef VERSION
  return reply(version, VERSION);
#elif defined BRIDGED
  return reply(version, 5); /* 3.0 as the kernel module counts: what an A100 says */
#else
  return reply(version, 7); /* 4.0: what an H100 says */
#endif
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(void* device, unsigned link, struct pci* pci) {
#if defined SWITCHED || defined STRANGE
  (void)device, (void)link, (void)pci;
  return 3; /* a guest is not told */
#else
  (void)link;
  memset(pci, 0, sizeof *pci);
  snprintf(pci->legacy, sizeof pci->legacy, "0000:%02X:00.0", bus_of(number(device) ^ 1));
  return reply(&pci->bus, bus_of(number(device) ^ 1));
#endif
}
#ifndef NO_LATE_LINKS /* these came last */
int nvmlDeviceGetNvLinkRemoteDeviceType(void* device, unsigned link, unsigned* type) {
  (void)device, (void)link;
#ifdef STRANGE
  return reply(type, 0xFF);
#elif defined SWITCHED
  return reply(type, 2);
#else
  return reply(type, 0);
#endif
}
int nvmlDeviceGetP2PStatus(void* a, void* b, unsigned index, unsigned* status) {
  if (index != 0) return 2;
#ifdef STRANGE
  (void)a, (void)b;
  return reply(status, 6);
#elif defined MIG
  return reply(status, is_part(a) || number(a) == 0 || number(b) == 0 ? 2 : 0);
#else
  return reply(status, number(a) / 2 == number(b) / 2 || SUPPORTED == 0 ? 0 : 1);
#endif
}
#endif
#endif

#if defined(ENERGY) || defined(MEMORY)
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  static int part = 100;
  char own[96];
  if (!started) return 1;
  for (unsigned i = 0; (int)i < GPUS; ++i)
    if (nvmlDeviceGetUUID(&gpus[i], own, sizeof own) == 0 && strcmp(own, uuid) == 0) {
      *device = &gpus[i];
      return 0;
    }
  if (strncmp(uuid, "MIG-", 4) != 0) return 6; /* not found */
  *device = &part;
  return 0;
}
#endif

#ifdef ENERGY /* 75 W, by a counter that moves every 20 ms; of a part of a GPU there is none */
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  struct timespec now;
  if (!started) return 1;
  if (*(int*)device >= 100) return 3; /* not supported */
  clock_gettime(CLOCK_MONOTONIC, &now);
  unsigned long long steps = (unsigned long long)now.tv_sec * 50 + (unsigned long long)now.tv_nsec / 20000000;
  *millijoules = steps * 1500;
  return 0;
}
#endif

#ifdef MEMORY /* $FAKE_NVML_MEMORY is a file of lines "GPU PID BYTES", or "GPU PID BYTES hidden"; MEMORY: of which form the question is */
#define NOT_AVAILABLE (~0ULL)
struct process {
  unsigned pid;
  unsigned long long used;
#if MEMORY > 1
  unsigned gpu_instance, compute_instance;
#endif
};
/* Lines of a GPU; the sum of all, and as many processes as there is room for. */
static unsigned held(void* device, unsigned room, struct process* processes, unsigned long long* sum) {
  unsigned count = 0, gpu, pid;
  unsigned long long bytes;
  char line[200], hidden[20];
  const char* name = getenv("FAKE_NVML_MEMORY");
  FILE* file = name == NULL ? NULL : fopen(name, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    int words = sscanf(line, "%u %u %llu %19s", &gpu, &pid, &bytes, hidden);
    if (words < 3 || (int)gpu != *(int*)device) continue;
    *sum += bytes;
    if (count < room) {
      memset(&processes[count], 0xee, sizeof *processes);
      processes[count].pid = pid;
      processes[count].used = words == 4 ? NOT_AVAILABLE : bytes;
    }
    ++count;
  }
  if (file != NULL) fclose(file);
  return count;
}
int nvmlDeviceGetMemoryInfo(void* device, struct memory* memory) {
  if (!started) return 1;
  memory->total = 80ULL << 30;
  memory->used = 500ULL << 20; /* the driver's own */
  held(device, 0, NULL, &memory->used);
  memory->free = memory->total - memory->used;
  return 0;
}
__attribute__((unused)) static int running(void* device, unsigned* count, struct process* processes) {
  unsigned long long sum = 0;
  unsigned room = *count;
  if (!started) return 1;
  *count = held(device, room, processes, &sum);
  return *count > room ? 7 : 0; /* insufficient size */
}
#if MEMORY == 3
/* As drivers 535.43 to 535.86: entries of 32 bytes, more than their readers have room for. */
int nvmlDeviceGetComputeRunningProcesses_v3(void* d, unsigned* n, struct process* p) { (void)d; memset(p, 0xee, *n * 32ULL); return 0; }
int nvmlDeviceGetComputeRunningProcesses_v2(void* d, unsigned* n, struct process* p) { return running(d, n, p); }
#elif MEMORY == 2
int nvmlDeviceGetComputeRunningProcesses_v2(void* d, unsigned* n, struct process* p) { return running(d, n, p); }
#elif MEMORY == 1
int nvmlDeviceGetComputeRunningProcesses(void* d, unsigned* n, struct process* p) { return running(d, n, p); }
#endif
#endif
