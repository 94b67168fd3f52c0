// bfloat16 of the look-alikes: the upper half of a float, rounded to nearest, ties to even.
#include <stdint.h>
#include <string.h>

static float from_bfloat16(uint16_t half) {
  const uint32_t bits = (uint32_t)half << 16;
  float value;
  memcpy(&value, &bits, 4);
  return value;
}
static uint16_t to_bfloat16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
