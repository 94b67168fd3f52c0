#include "inspector/machine/cpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <map>
#include <vector>

#include "inspector/machine/tree.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace stackx::inspector {
namespace {

using Block = std::map<std::string, std::string>;  // key -> value, of one processor

// One block a "processor" line; keys before the first belong to it (POWER and s390 print some at
// the end: ignored).
std::vector<Block> read_blocks(std::string_view text) {
  std::vector<Block> blocks;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string key = trim(line.substr(0, colon));
    if (blocks.empty() || key == "processor") blocks.emplace_back();
    blocks.back().emplace(key, trim(line.substr(colon + 1)));
  }
  return blocks;
}

std::string get(const Block& block, const std::string& key) {
  const auto found = block.find(key);
  return found == block.end() ? "" : found->second;
}

// "207", "0xd0c", "0x41"; 0 for anything else ("AArch64", "unknown").
int number(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

std::string x86_vendor(const std::string& id) {
  static const std::map<std::string, std::string> names = {
      {"GenuineIntel", "intel"},   {"AuthenticAMD", "amd"}, {"HygonGenuine", "hygon"},
      {"CentaurHauls", "zhaoxin"}, {"Shanghai", "zhaoxin"}, {"IBM/S390", "ibm"}};
  const auto found = names.find(id);
  return found == names.end() ? id : found->second;
}

// ARM_CPU_IMP_* of Linux's arch/arm64/include/asm/cputype.h.
std::string arm_vendor(const std::string& implementer) {
  static const std::map<int, std::string> names = {
      {0x41, "arm"},       {0x42, "broadcom"},  {0x43, "cavium"}, {0x46, "fujitsu"},
      {0x48, "hisilicon"}, {0x4e, "nvidia"},    {0x50, "apm"},    {0x51, "qualcomm"},
      {0x61, "apple"},     {0x6d, "microsoft"}, {0xc0, "ampere"}};
  const auto found = names.find(number(implementer));
  return found == names.end() ? "arm implementer " + implementer : found->second;
}

std::vector<std::string> flags(const Block& block) {
  std::vector<std::string> result;
  for (const char* key : {"flags", "Features", "features", "isa"})  // x86, ARM, s390, RISC-V
    if (result.empty()) result = words(get(block, key));
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::vector<std::string> common_flags(const std::vector<Block>& blocks) {
  std::vector<std::string> common = flags(blocks.front());
  for (const Block& block : blocks) {
    const std::vector<std::string> own = flags(block);
    if (own.empty()) continue;  // a block that is no processor
    std::vector<std::string> both;
    std::ranges::set_intersection(common, own, std::back_inserter(both));
    common = std::move(both);
  }
  return common;
}

std::string printed_model(const Block& block) {
  for (const char* key : {"model name", "cpu", "uarch"})  // x86, POWER, RISC-V
    if (const std::string text = get(block, key); !text.empty())
      return fmt::format("{}", fmt::join(words(text), " "));
  return "";
}

void fill_x86(const Block& block, specs::Cpu& cpu) {
  cpu.vendor = x86_vendor(get(block, "vendor_id"));
  cpu.family = number(get(block, "cpu family"));
  cpu.model_number = number(get(block, "model"));
  cpu.stepping = number(get(block, "stepping"));
}

void fill_arm(const Block& block, specs::Cpu& cpu) {
  cpu.vendor = arm_vendor(get(block, "CPU implementer"));
  cpu.family = number(get(block, "CPU architecture"));
  cpu.model_number = number(get(block, "CPU part"));
  cpu.stepping = number(get(block, "CPU revision"));
}

}  // namespace

specs::Cpu parse_cpuinfo(std::string_view text, const specs::Microarchitectures& table) {
  specs::Cpu cpu;
  cpu.model = cpu.vendor = cpu.microarchitecture = "unknown";
  const std::vector<Block> blocks = read_blocks(text);
  if (blocks.empty()) return cpu;
  const Block& first = blocks.front();
  const bool arm = first.contains("CPU implementer");
  if (arm)
    fill_arm(first, cpu);
  else if (first.contains("vendor_id"))
    fill_x86(first, cpu);
  else if (get(first, "cpu").starts_with("POWER"))
    cpu.vendor = "ibm";
  cpu.isa = common_flags(blocks);
  const auto* row = table.identify(cpu.vendor, cpu.family, cpu.model_number, cpu.stepping);
  if (row != nullptr) cpu.microarchitecture = row->id;
  const std::string printed = printed_model(first);
  if (arm && row != nullptr)
    cpu.model = row->name;  // "ARMv8 Processor rev 1 (v8l)", which some kernels print, says less
  else if (!printed.empty())
    cpu.model = printed;
  else if (arm)
    cpu.model = fmt::format("{} part {:#05x}", cpu.vendor, cpu.model_number);
  return cpu;
}

std::string hypervisor_signature() {
#if defined(__x86_64__) || defined(__i386__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & (1U << 31)) == 0) return "";
  __cpuid(0x40000000, a, b, c, d);
  char signature[13] = {};
  std::memcpy(signature, &b, 4);
  std::memcpy(signature + 4, &c, 4);
  std::memcpy(signature + 8, &d, 4);
  return trim(signature);
#else
  return "";
#endif
}

}  // namespace stackx::inspector
