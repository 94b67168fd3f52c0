// What NVML counted of a run: written, read, refused.
#include <catch2/catch.hpp>

#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/json_reader.hpp"
#include "specs/result/inspection.hpp"

using namespace stackx;
using namespace stackx::specs;
using Catch::Contains;

namespace device_memory_tests {
namespace {

DeviceMemory read(const std::string& text) { return device_memory_from(Node::parse_text(text, "test")); }

}  // namespace

TEST_CASE("device memory: of processes or of the device") {
  for (const auto& memory : {DeviceMemory{1'572'864'000, std::nullopt}, DeviceMemory{1, 0}, DeviceMemory{7, 524'288'000}})
    CHECK(read(to_json(memory).dump()) == memory);
  CHECK(to_json(DeviceMemory{5, std::nullopt}).dump() == R"({"counted":"processes","peak_bytes":5})");
  CHECK(to_json(DeviceMemory{5, 3}).dump() == R"({"before_bytes":3,"counted":"device","peak_bytes":5})");
}

TEST_CASE("device memory: what cannot be is refused, with its place") {
  CHECK_THROWS_WITH(read(R"({"counted": "guess", "peak_bytes": 5})"), Contains("/counted") && Contains("processes"));
  CHECK_THROWS_WITH(read(R"({"counted": "device", "peak_bytes": 5})"), Contains("before_bytes"));
  CHECK_THROWS_WITH(read(R"({"counted": "processes", "peak_bytes": 5, "before_bytes": 1})"), Contains("before_bytes"));
  CHECK_THROWS_WITH(read(R"({"counted": "processes", "peak_bytes": 0})"), Contains("/peak_bytes"));
  CHECK_THROWS_WITH(read(R"({"counted": "processes", "peak_bytes": 2000000000000000})"), Contains("/peak_bytes"));
  CHECK_THROWS_WITH(read(R"({"counted": "processes", "peak_bytes": 5, "gpu": 1})"), Contains("gpu"));
  CHECK_THROWS_AS(read(R"({"peak_bytes": 5})"), Error);
}

TEST_CASE("device memory: where an amount is from") {
  constexpr const char *own = "peak_device_memory_bytes", *nvml = "peak_nvml_memory_bytes";
  Inspection one;
  CHECK_FALSE(device_memory_source(one, own));
  one.device_memory = DeviceMemory{5, std::nullopt};
  CHECK(device_memory_source(one, own) == DeviceMemorySource::processes);
  one.device_memory->before_bytes = 3;
  CHECK(device_memory_source(one, nvml) == DeviceMemorySource::device);
  one.metrics[own] = 4;
  CHECK(device_memory_source(one, own) == DeviceMemorySource::stated);
  CHECK(device_memory_source(one, nvml) == DeviceMemorySource::device);
}

}  // namespace device_memory_tests
