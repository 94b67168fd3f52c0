#include <algorithm>
#include <catch2/catch.hpp>

#include "inspector/machine/cpu.hpp"
#include "inspector/machine/tree.hpp"
#include "tests/inspector/fake_machine.hpp"

using namespace stackx;
using namespace stackx::inspector;
using namespace stackx::inspector::testing;

namespace {

const specs::Microarchitectures& table() {
  static const auto loaded =
      specs::Microarchitectures::load(STACKX_SOURCE_DIR "/specs/data/microarchitectures.json");
  return loaded;
}

bool has(const specs::Cpu& cpu, const std::string& flag) {
  return std::ranges::find(cpu.isa, flag) != cpu.isa.end();
}

std::string replace(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("an x86 processor is read from its first block") {
  const auto cpu = parse_cpuinfo(repeat_cpuinfo(zen3_cpuinfo, 4), table());
  CHECK(cpu.model == "AMD EPYC 72F3 8-Core Processor");  // the kernel pads it with blanks
  CHECK(cpu.vendor == "amd");
  CHECK(cpu.family == 25);
  CHECK(cpu.model_number == 1);
  CHECK(cpu.stepping == 1);
  CHECK(cpu.microarchitecture == "zen3");
  CHECK(std::ranges::is_sorted(cpu.isa));
  CHECK(has(cpu, "avx2"));
  CHECK_FALSE(has(cpu, "avx512f"));
  CHECK_FALSE(has(cpu, "spectre_v1"));  // "bugs" is another line
}

TEST_CASE("a virtual CPU with a generic name is known by its numbers") {
  const auto cpu = parse_cpuinfo(repeat_cpuinfo(emerald_vm_cpuinfo, 2), table());
  CHECK(cpu.model == "Intel(R) Xeon(R) Processor");
  CHECK(cpu.microarchitecture == "emerald-rapids");
  CHECK(has(cpu, "avx512_bf16"));
}

TEST_CASE("three products share model 85 and differ by stepping") {
  const std::string cascade = cascade_cpuinfo;
  CHECK(parse_cpuinfo(cascade, table()).microarchitecture == "cascade-lake");
  CHECK(parse_cpuinfo(replace(cascade, "stepping\t: 7", "stepping\t: 4"), table())
            .microarchitecture == "skylake-sp");
  CHECK(parse_cpuinfo(replace(cascade, "stepping\t: 7", "stepping\t: 11"), table())
            .microarchitecture == "cooper-lake");
}

TEST_CASE("an ARM processor has no model name: the table's is used") {
  const auto cpu = parse_cpuinfo(repeat_cpuinfo(neoverse_cpuinfo, 4), table());
  CHECK(cpu.vendor == "arm");
  CHECK(cpu.model == "Neoverse N1");
  CHECK(cpu.microarchitecture == "neoverse-n1");
  CHECK(cpu.family == 8);
  CHECK(cpu.model_number == 0xd0c);
  CHECK(cpu.stepping == 1);
  CHECK(has(cpu, "asimd"));
}

TEST_CASE("an ARM part that nobody listed is named by its number") {
  const auto cpu = parse_cpuinfo(replace(neoverse_cpuinfo, "0xd0c", "0x7ff"), table());
  CHECK(cpu.microarchitecture == "unknown");
  CHECK(cpu.model == "arm part 0x7ff");
  const auto foreign = parse_cpuinfo(replace(neoverse_cpuinfo, "0x41", "0x99"), table());
  CHECK(foreign.vendor == "arm implementer 0x99");
}

TEST_CASE("with processors of several kinds only the common instruction set counts") {
  const std::string small = replace(replace(neoverse_cpuinfo, "0xd0c", "0xd05"), " sha1 sha2", "");
  const auto cpu = parse_cpuinfo(
      "processor\t: 0\n" + std::string(neoverse_cpuinfo) + "\nprocessor\t: 1\n" + small, table());
  CHECK(cpu.microarchitecture == "neoverse-n1");  // the first one
  CHECK(has(cpu, "asimd"));
  CHECK_FALSE(has(cpu, "sha2"));
}

TEST_CASE("other architectures give what they print") {
  const auto power = parse_cpuinfo(
      "processor\t: 0\ncpu\t\t: POWER9, altivec supported\nclock\t\t: 3800.000000MHz\n", table());
  CHECK(power.vendor == "ibm");
  CHECK(power.model == "POWER9, altivec supported");
  CHECK(power.microarchitecture == "unknown");
  const auto riscv = parse_cpuinfo(
      "processor\t: 0\nhart\t: 1\nisa\t: rv64imafdc\nuarch\t: sifive,u74-mc\n", table());
  CHECK(riscv.model == "sifive,u74-mc");
  CHECK(riscv.isa == std::vector<std::string>{"rv64imafdc"});
}

TEST_CASE("what is not there is unknown, never an error") {
  for (const char* text : {"", "\n\n", "processor\t: 0\n", "no colon here", "model name\t:\n",
                           ":::\n", "flags : \n"}) {
    INFO(text);
    const auto cpu = parse_cpuinfo(text, table());
    CHECK(cpu.model == "unknown");
    CHECK(cpu.microarchitecture == "unknown");
    CHECK(cpu.isa.empty());
  }
  const auto cpu = parse_cpuinfo(
      "vendor_id : GenuineIntel\ncpu family : six\nmodel : 99999999999999999999\n", table());
  CHECK(cpu.vendor == "intel");
  CHECK(cpu.family == 0);
  CHECK(cpu.microarchitecture == "unknown");
}

TEST_CASE("the hypervisor's signature is there exactly when the flag is") {
#if defined(__x86_64__)
  const auto cpu = parse_cpuinfo(Tree().text("/proc/cpuinfo").value_or(""), table());
  CHECK(hypervisor_signature().empty() == !has(cpu, "hypervisor"));
#else
  CHECK(hypervisor_signature().empty());
#endif
}
