// The part of NVRTC that stackx-pi uses, as version VERSION has it. Its "machine code" is the text
// that it was given: the options, one a line, then the source.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *source, *image, log[256];
} Program;

enum { kSuccess = 0, kInvalidProgram = 4, kCompilation = 6 };

int nvrtcVersion(int* major, int* minor) {
  *major = VERSION / 1000;
  *minor = VERSION % 1000 / 10;
  return kSuccess;
}
const char* nvrtcGetErrorString(int error) { return error == 0 ? "NVRTC_SUCCESS" : "an error"; }
int nvrtcCreateProgram(void** program, const char* source, const char* name, int headers,
                       const char* const* texts, const char* const* names) {
  if (name == NULL || headers != 0 || texts != NULL || names != NULL) abort();
  Program* p = calloc(1, sizeof *p);
  p->source = strcpy(malloc(strlen(source) + 1), source);
  *program = p;
  return kSuccess;
}
int nvrtcDestroyProgram(void** program) {
  Program* p = *program;
  free(p->source);
  free(p->image);
  free(p);
  *program = NULL;
  return kSuccess;
}
int nvrtcCompileProgram(void* program, int count, const char* const* options) {
  Program* p = program;
  size_t bytes = strlen(p->source) + 1;
  for (int i = 0; i < count; ++i) bytes += strlen(options[i]) + 1;
  p->image = calloc(1, bytes);
  for (int i = 0; i < count; ++i) strcat(strcat(p->image, options[i]), "\n");
  strcat(p->image, p->source);
#ifdef REFUSES
  snprintf(p->log, sizeof p->log, "matmul.cu(1): error: no such thing\n");
  return kCompilation;
#else
  return kSuccess;
#endif
}
int nvrtcGetProgramLogSize(void* program, size_t* bytes) {
  *bytes = strlen(((Program*)program)->log) + 1;
  return kSuccess;
}
int nvrtcGetProgramLog(void* program, char* log) {
  strcpy(log, ((Program*)program)->log);
  return kSuccess;
}
static int image_size(void* program, size_t* bytes) {
  Program* p = program;
  if (p->image == NULL) return kInvalidProgram;
  *bytes = strlen(p->image) + 1;
  return kSuccess;
}
static int image(void* program, char* out) {
  strcpy(out, ((Program*)program)->image);
  return kSuccess;
}
int nvrtcGetPTXSize(void* program, size_t* bytes) { return image_size(program, bytes); }
int nvrtcGetPTX(void* program, char* ptx) { return image(program, ptx); }
#if VERSION >= 11010
int nvrtcGetCUBINSize(void* program, size_t* bytes) {
  if (((Program*)program)->image != NULL &&
      strstr(((Program*)program)->image, "--gpu-architecture=sm_") == NULL) {
    *bytes = 0;  // as the real one for a virtual architecture
    return kSuccess;
  }
  return image_size(program, bytes);
}
int nvrtcGetCUBIN(void* program, char* cubin) { return image(program, cubin); }
#endif
#if VERSION >= 11020
static const int kKnown[] = {70, 75, 80, 86, 90};
int nvrtcGetNumSupportedArchs(int* count) {
  *count = 5;
  return kSuccess;
}
int nvrtcGetSupportedArchs(int* architectures) {
  memcpy(architectures, kKnown, sizeof kKnown);
  return kSuccess;
}
#endif
