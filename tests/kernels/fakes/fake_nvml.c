// The part of NVML that kernels/cuda/nvml.* uses, for tests: the clocks of the GPUs that
// fake_cuda_driver.c shows. MIG instances have none, as in NVML; their GPU has.
//
//   FAKE_NVML_THROTTLE  reasons at each reading, "0,4,64"; the last one stays [0]
//   FAKE_NVML_INIT      what nvmlInit_v2 returns [0]
//   FAKE_NVML_MUTE      power, energy and utilisation are not supported; the last neither on a GPU that
//                       is divided by MIG, as in NVML
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kSuccess = 0, kNotSupported = 3, kNotFound = 6 };

static int readings;
static char devices[16];  // the address is the handle

int nvmlInit_v2(void) {
  const char* status = getenv("FAKE_NVML_INIT");
  return status == NULL ? kSuccess : atoi(status);
}
int nvmlShutdown(void) { return kSuccess; }
const char* nvmlErrorString(int error) {
  return error == kNotFound ? "Not Found" : "an error that the fake made";
}
int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  snprintf(version, length, "550.54.15");
  return kSuccess;
}

// What stackx itself asks: which GPUs there are.
int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = 12040;
  return kSuccess;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  const char* devices_here = getenv("FAKE_CUDA_DEVICES");
  *count = devices_here == NULL ? 1 : (unsigned)atoi(devices_here);
  return kSuccess;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = &devices[index & 15];
  return kSuccess;
}
int nvmlDeviceGetName(void* device, char* name, unsigned length) {
  (void)device;
  snprintf(name, length, "NVIDIA Fake");
  return kSuccess;
}
int nvmlDeviceGetUUID(void* device, char* uuid, unsigned length) {
  const unsigned gpu = (unsigned)((char*)device - devices);
  snprintf(uuid, length, "GPU-%02x000000-0000-0000-0000-000000000000", gpu);
  return kSuccess;
}
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* total_free_used) {
  (void)device;
  total_free_used[0] = 1ULL << 34;
  return kSuccess;
}
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  (void)device;
  *major = 9, *minor = 0;
  return kSuccess;
}

int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  unsigned first;
  if (sscanf(uuid, "GPU-%2x", &first) != 1 || first >= 0x80) return kNotFound;
  *device = &devices[first & 15];
  return kSuccess;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
  (void)id, (void)device;
  return kNotFound;
}
int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void* instance, void** device) {
  (void)instance, (void)device;
  return kNotFound;
}

// Clocks tell the device and the reading: 1000 + 100 * GPU + reading.
int nvmlDeviceGetClockInfo(void* device, int type, unsigned* mhz) {
  const unsigned gpu = (unsigned)((char*)device - devices);
  *mhz = type == 1 ? 1000 + 100 * gpu + (unsigned)readings : 2619;
  return type == 1 || type == 2 ? kSuccess : kNotSupported;
}
int nvmlDeviceGetMaxClockInfo(void* device, int type, unsigned* mhz) {
  (void)device;
  *mhz = type == 1 ? 1980 : 2619;
  return kSuccess;
}
int nvmlDeviceGetTemperature(void* device, int sensor, unsigned* celsius) {
  (void)device;
  *celsius = 60;
  return sensor == 0 ? kSuccess : kNotSupported;
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  (void)device;
  *milliwatts = 345678;
  return getenv("FAKE_NVML_MUTE") != NULL ? kNotSupported : kSuccess;
}
int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned* milliwatts) {
  (void)device;
  *milliwatts = 700000;
  return kSuccess;
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  (void)device;
  *millijoules = 1000000ull + 500ull * (unsigned)readings;
  return getenv("FAKE_NVML_MUTE") != NULL ? kNotSupported : kSuccess;
}
int nvmlDeviceGetUtilizationRates(void* device, unsigned* gpu_memory) {
  (void)device;
  gpu_memory[0] = 90 + (unsigned)readings;
  gpu_memory[1] = 40;
  const int divided = getenv("FAKE_CUDA_MIG") != NULL;
  return divided || getenv("FAKE_NVML_MUTE") != NULL ? kNotSupported : kSuccess;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
  (void)device;
  const char* script = getenv("FAKE_NVML_THROTTLE");
  if (script == NULL) script = "0";
  for (int i = 0; i < readings && strchr(script, ',') != NULL; ++i)
    script = strchr(script, ',') + 1;
  ++readings;
  *reasons = strtoull(script, NULL, 10);
  return kSuccess;
}
int nvmlDeviceGetPersistenceMode(void* device, int* mode) {
  (void)device;
  *mode = 1;
  return kSuccess;
}
int nvmlDeviceGetCurrPcieLinkGeneration(void* device, unsigned* value) {
  (void)device;
  *value = 5;
  return kSuccess;
}
int nvmlDeviceGetCurrPcieLinkWidth(void* device, unsigned* lanes) {
  (void)device;
  *lanes = 16;
  return kSuccess;
}
