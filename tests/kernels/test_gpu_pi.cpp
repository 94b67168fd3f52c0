// The GPU indicators of the CUDA runtime, on fakes that are right or wrong on purpose.
#include <dlfcn.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/kernels/gpu_pi.hpp"

using Catch::Matchers::Contains;
using nlohmann::json;
using Words = std::vector<std::string>;

namespace {

const Words kPis = {"memory_bandwidth", "launch_latency", "transfer"};

Words small(const std::string& pi) {
  if (pi == "memory_bandwidth") return {"size_mib=1", "repetitions=3"};
  if (pi == "transfer") return {"size_kib=64", "repetitions=3"};
  return {"repetitions=3"};
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

bool mapped(const json& document, const std::string& name) {
  const auto files = document["files"].get<Words>();
  return std::any_of(files.begin(), files.end(),
                     [&](const std::string& file) { return file.find(name) != std::string::npos; });
}

constexpr const char* kGpu0 = "GPU-00000000-0000-0000-0000-000000000000";
constexpr const char* kGpu1 = "GPU-11000000-0000-0000-0000-000000000000";
constexpr const char* kMig1 = "MIG-81000000-0000-0000-0000-000000000000";

}  // namespace

TEST_CASE("a right GPU is measured", "[gpu]") {
  for (const std::string& pi : kPis) {
    INFO(pi);
    const auto result = GpuRun{pi, small(pi)}();
    INFO(result.err);
    REQUIRE(result.status == 0);
    const json document = result.json();
    CHECK_FALSE(document.contains("unsupported"));
    CHECK(document["check"]["pass"] == true);
    CHECK(document["check"]["bound"] == 0);
    CHECK(document["samples_ns"].size() == 3);
    CHECK(document["component"] == "cudart");
    CHECK(document["loaded"] == json{{"cudart", "12.4"}});
    CHECK(document["library"]["path"] == gpu_fake("right", "libcudart.so.12"));
    const json& gpu = document["gpu"];
    CHECK(gpu["uuid"] == kGpu0);
    CHECK(gpu["name"] == "Fake H100");
    CHECK(gpu["compute_capability"] == "9.0");
    CHECK(gpu["pci"] == "0000:1a:00.0");
    CHECK(gpu["driver"] == "550.54.15");
    CHECK(gpu["cuda_driver"] == "12.4");
    CHECK(gpu["runtime"] == "12.4");
    CHECK(gpu["l2_bytes"] == 1 << 20);
    CHECK(gpu["persistence_mode"] == true);
    CHECK(gpu["power_limit_w"] == 700);
    CHECK(gpu["pcie_generation"] == 5);
    CHECK_FALSE(gpu.contains("mig"));
    const json& conditions = document["conditions"];
    CHECK(conditions["sm_clock_mhz"] == json{1001, 1002, 1003});
    CHECK(conditions["memory_clock_mhz"] == json{2619, 2619, 2619});
    CHECK(conditions["power_w"][0] == 345.678);
    CHECK(conditions["energy_j"] == json{1000.5, 1001.0, 1001.5});
    CHECK(conditions["temperature_c"] == json{60, 60, 60});
    CHECK(conditions["gpu_utilization_percent"] == json{91, 92, 93});
    CHECK(document["throttled"] == json::array());
  }
}

TEST_CASE("bytes are counted as STREAM does", "[gpu]") {
  for (const auto& [loop, arrays, flop] : std::vector<std::tuple<std::string, int, int>>{
           {"copy", 2, 0}, {"triad", 3, 2}, {"read", 1, 1}, {"write", 1, 0}, {"memcpy", 2, 0}}) {
    INFO(loop);
    const json document = GpuRun{
        "memory_bandwidth",
        {"size_mib=2", "repetitions=1", "mini_batch=3",
         "loop=" + loop}}.json();
    CHECK(document["check"]["pass"] == true);
    CHECK(document["work"]["bytes"] == 3.0 * arrays * (2 << 20));
    CHECK(document["work"]["flop"] == 3.0 * flop * (2 << 20) / 8);
    CHECK(document["work"]["items"] == 3);
  }
}

TEST_CASE("an array is 256 MiB at least, unless it is said", "[gpu]") {
  const GpuRun run{"memory_bandwidth", {"loop=write", "repetitions=1", "mini_batch=1"}};
  CHECK(run.json()["parameters"]["size_mib"] == 256);
}

TEST_CASE("transfers are counted once per direction and byte", "[gpu]") {
  for (const std::string direction : {"h2d", "d2h", "both"})
    for (const std::string memory : {"pinned", "pageable"}) {
      INFO(direction << " " << memory);
      const auto result = GpuRun{"transfer",
                                 {"size_kib=100", "repetitions=1", "mini_batch=2",
                                  "direction=" + direction, "memory=" + memory}}();
      if (direction == "both" && memory == "pageable") {
        CHECK(result.status == 2);
        CHECK_THAT(result.err, Contains("needs memory=pinned"));
        continue;
      }
      CHECK(result.json()["check"]["pass"] == true);
      CHECK(result.json()["work"]["bytes"] == 2 * 102400 * (direction == "both" ? 2 : 1));
    }
}

TEST_CASE("launches: driver and runtime, waited for or not", "[gpu]") {
  for (const std::string api : {"driver", "runtime"})
    for (const std::string synchronous : {"0", "1"}) {
      const GpuRun run{"launch_latency",
                       {"repetitions=4", "api=" + api, "synchronous=" + synchronous},
                       {"FAKE_CUDART_VERSION=12080", "FAKE_NVML_THROTTLE=0,0,64,0"}};
      const auto result = run();
      INFO(result.err);
      const json document = result.json();
      CHECK(document["check"]["pass"] == true);
      CHECK(document["samples_ns"].size() == 4);
      CHECK(document["throttled"] == json{2});
    }
  const json old = GpuRun{"launch_latency", {"api=runtime"}}.json();
  CHECK_THAT(old["unsupported"].get<std::string>(), Contains("needs CUDA 12.8"));
}

TEST_CASE("the L2 cache is flushed with memory of its own", "[gpu]") {
  const Words words = {"size_mib=1", "repetitions=3", "l2=flush"};
  CHECK(GpuRun{"memory_bandwidth", words}.json()["check"]["pass"] == true);
  const json document = GpuRun{"memory_bandwidth", words, {"FAKE_CUDA_MEMORY=10000000"}}.json();
  CHECK_THAT(document["unsupported"].get<std::string>(),
             Contains("l2=flush") && Contains("64.0 MiB of device memory"));
}

TEST_CASE("wrong kernels and copies are caught before anything is timed", "[gpu]") {
  struct Case {
    std::string machine, stack, pi;
    Words words;
    std::string detail;
  };
  const auto wrong = GENERATE(values<Case>({
      {"wrong_end", "right", "memory_bandwidth", {"loop=copy"}, "1 of 131072 elements differ"},
      {"wrong_end", "right", "memory_bandwidth", {"loop=write"}, "the first at 131071"},
      {"wrong_scalar", "right", "memory_bandwidth", {"loop=triad"}, "elements differ"},
      {"wrong_sum", "right", "memory_bandwidth", {"loop=read"}, "instead of"},
      {"wrong_idle", "right", "memory_bandwidth", {"loop=triad"}, "131072 of 131072"},
      {"right", "lossy_within", "memory_bandwidth", {"loop=memcpy"}, "1 of 131072"},
      {"wrong_idle", "right", "launch_latency", {}, "counted 0 launches"},
      {"wrong_twice", "right", "launch_latency", {}, "counted 2 launches"},
      {"right", "idle_launch", "launch_latency", {"api=runtime"}, "counted 0 launches"},
      {"right", "lossy_up", "transfer", {"direction=h2d"}, "host to device: 1 of 65536"},
      {"right", "lossy_down", "transfer", {"direction=d2h"}, "device to host: 1 of 65536"},
      {"right", "lossy_down", "transfer", {"direction=both"}, "the first at 65535"},
      {"right", "lossy_up", "transfer", {"direction=both", "memory=pinned"}, "host to device"},
  }));
  INFO(wrong.machine << " " << wrong.stack << " " << wrong.pi);
  GpuRun run{wrong.pi, with(small(wrong.pi), wrong.words), {"FAKE_CUDART_VERSION=12080"}};
  run.machine = wrong.machine;
  run.stack = wrong.stack;
  const auto result = run();
  INFO(result.err);
  REQUIRE(result.status == 0);
  const json document = result.json();
  CHECK(document["check"]["pass"] == false);
  CHECK(document["check"]["max_relative_error"].get<double>() > 0);
  CHECK_THAT(document["check"]["detail"].get<std::string>(), Contains(wrong.detail));
  CHECK(document["samples_ns"].empty());
}

TEST_CASE("event times that cannot be end the process", "[gpu]") {
  for (const std::string how : {"negative", "nan", "long"})
    for (const std::string& pi : kPis) {
      INFO(how << " " << pi);
      const auto result = GpuRun{pi, small(pi), {"FAKE_CUDA_EVENTS=" + how}}();
      CHECK(result.status == 3);
      CHECK(result.out.empty());
      CHECK_THAT(result.err, Contains("cannot be believed"));
    }
}

TEST_CASE("samples taken while throttled are marked", "[gpu]") {
  const json document =
      GpuRun{"launch_latency", {"repetitions=7"}, {"FAKE_NVML_THROTTLE=0,1,2,256,4,128,68"}}.json();
  CHECK(document["conditions"]["throttle"] == json{0, 1, 2, 256, 4, 128, 68});
  CHECK(document["throttled"] == json{4, 5, 6});
}

TEST_CASE("what NVML does not give is left out", "[gpu]") {
  json document = GpuRun{"launch_latency", {"repetitions=3"}, {"FAKE_NVML_MUTE=1"}}.json();
  CHECK_FALSE(document["conditions"].contains("power_w"));
  CHECK_FALSE(document["conditions"].contains("energy_j"));
  CHECK_FALSE(document["conditions"].contains("gpu_utilization_percent"));
  CHECK(document["conditions"]["sm_clock_mhz"].size() == 3);
  document = GpuRun{"launch_latency", {"repetitions=3"}, {"FAKE_NVML_INIT=9"}}.json();
  CHECK_FALSE(document.contains("conditions"));
  CHECK(document["samples_ns"].size() == 3);
  CHECK_THAT(document["notes"][0].get<std::string>(),
             Contains("no clocks, temperature, power") && Contains("NVML error 9"));
}

TEST_CASE("the device is chosen by index, by UUID, and among the visible ones", "[gpu]") {
  struct Case {
    std::string device;
    Words environment;
    std::string uuid;
    unsigned clock;  // of the first window: which GPU NVML was asked about
  };
  const auto [device, environment, uuid, clock] = GENERATE(values<Case>({
      {"", {}, kGpu0, 1001},
      {"1", {}, kGpu1, 1101},
      {kGpu1, {}, kGpu1, 1101},
      {"gpu-11", {}, kGpu1, 1101},
      {"", {"CUDA_VISIBLE_DEVICES=1"}, kGpu1, 1101},
      {"0", {"CUDA_VISIBLE_DEVICES=1,0"}, kGpu1, 1101},
      {"1", {"CUDA_VISIBLE_DEVICES=1,0"}, kGpu0, 1001},
      {"", {std::string("CUDA_VISIBLE_DEVICES=") + kGpu1}, kGpu1, 1101},
      {kGpu1, {std::string("CUDA_VISIBLE_DEVICES=") + kGpu1}, kGpu1, 1101},
      {kMig1, {"FAKE_CUDA_MIG=1"}, kMig1, 1101},
      {"", {"FAKE_CUDA_MIG=1", std::string("CUDA_VISIBLE_DEVICES=") + kMig1}, kMig1, 1101},
  }));
  INFO(device << " " << (environment.empty() ? "" : environment.back()));
  const auto result = GpuRun{"launch_latency",
                             {"repetitions=3", "device=" + device},
                             with({"FAKE_CUDA_DEVICES=2"}, environment)}();
  INFO(result.err);
  const json document = result.json();
  INFO(document.dump());
  REQUIRE(document.contains("gpu"));
  CHECK(document["gpu"]["uuid"] == uuid);
  CHECK(document["conditions"]["sm_clock_mhz"][0] == clock);
  for (const char* of_card : {"gpu_utilization_percent", "power_w", "energy_j"})  // an instance's neighbours draw, too
    CHECK(document["conditions"].contains(of_card) == (uuid != kMig1));
  if (uuid == kMig1)
    CHECK(document["gpu"]["mig"] == json{{"uuid", kMig1}, {"parent", kGpu1}});
  else
    CHECK_FALSE(document["gpu"].contains("mig"));
}

TEST_CASE("what the machine cannot is refused before the stack is loaded", "[gpu]") {
  struct Case {
    std::string device;
    Words environment;
    std::string reason;
  };
  const auto [device, environment, reason] = GENERATE(values<Case>({
      {"", {"FAKE_CUDA_INIT=100"}, "CUDA_ERROR_NO_DEVICE (100)"},
      {"", {"FAKE_CUDA_INIT=804"}, "install a newer driver"},
      {"", {"FAKE_CUDA_INIT=803"}, "reboot"},
      {"", {"FAKE_CUDA_DEVICES=0"}, "no GPU is visible"},
      {"", {"CUDA_VISIBLE_DEVICES="}, "(CUDA_VISIBLE_DEVICES=)"},
      {"", {"CUDA_VISIBLE_DEVICES=7"}, "(CUDA_VISIBLE_DEVICES=7)"},
      {"", {"FAKE_CUDA_DEVICES=2", "CUDA_VISIBLE_DEVICES=-1"}, "(CUDA_VISIBLE_DEVICES=-1); no GPU is visible"},
      {"1", {"FAKE_CUDA_DEVICES=2", "CUDA_VISIBLE_DEVICES=1,-1,0"}, "device=1: only 1 visible (CUDA_VISIBLE_DEVICES=1,-1,0)"},
      {"2", {"FAKE_CUDA_DEVICES=2"}, "device=2: only 2 visible"},
      {kGpu1, {}, "none of the visible devices: GPU-00000000"},
      {"GPU-", {"FAKE_CUDA_DEVICES=2"}, "several of the visible devices"},
      {kGpu0, {"FAKE_CUDA_DEVICES=2", "CUDA_VISIBLE_DEVICES=1"}, "none of the visible devices"},
      {"MIG-99", {"FAKE_CUDA_MIG=1"}, "CUDA_ERROR_NO_DEVICE"},
  }));
  for (const std::string& pi : kPis) {
    INFO(pi << " " << device);
    const auto result = GpuRun{pi, with(small(pi), {"device=" + device}), environment}();
    INFO(result.err);
    REQUIRE(result.status == 0);
    const json document = result.json();
    CHECK_THAT(document["unsupported"].get<std::string>(), Contains(reason));
    CHECK_FALSE(document.contains("samples_ns"));
    CHECK_FALSE(document.contains("check"));
    CHECK(document["library"]["path"] == gpu_fake("right", "libcudart.so.12"));
    CHECK_FALSE(mapped(document, "libcudart"));
  }
}

TEST_CASE("a driver too old for the stack is refused", "[gpu]") {
  GpuRun run{"transfer", small("transfer"), {"FAKE_CUDA_DRIVER=11080"}};
  CHECK_THAT(run.json()["unsupported"].get<std::string>(),
             Contains("the driver is too old: it supports CUDA 11.8, the stack is CUDA 12.4"));
  run.environment = {"FAKE_CUDA_DRIVER=12000"};  // the same major version is enough
  CHECK(run.json()["check"]["pass"] == true);
  run.environment = {"FAKE_CUDA_DRIVER=10010", "FAKE_CUDART_VERSION=10020"};
  CHECK_THAT(run.json()["unsupported"].get<std::string>(), Contains("10.2 or newer"));
}

TEST_CASE("a driver that takes no code says why", "[gpu]") {
  GpuRun run{"memory_bandwidth", small("memory_bandwidth")};
  run.machine = "wrong_code";
  CHECK_THAT(run.json()["unsupported"].get<std::string>(),
             Contains("sm_90") && Contains("CUDA_ERROR_NO_BINARY_FOR_GPU") &&
                 Contains("a log by the fake"));
}

TEST_CASE("memory that is too short is unsupported", "[gpu]") {
  for (const std::string pi : {"memory_bandwidth", "transfer"}) {
    const json document = GpuRun{pi, small(pi), {"FAKE_CUDA_MEMORY=1000"}}.json();
    CHECK_THAT(document["unsupported"].get<std::string>(), Contains("cannot be had"));
  }
}

TEST_CASE("a runtime without a function it should have cannot be loaded", "[gpu]") {
  GpuRun run{"transfer", small("transfer")};
  run.stack = "no_events";
  const auto result = run();
  CHECK(result.status == 3);
  CHECK_THAT(result.err, Contains("libcudart.so.12: has no function cudaEventRecord") &&
                             Contains("cudart 12040 should have"));
}

TEST_CASE("without a driver nothing of the stack is loaded", "[gpu]") {
  if (void* real = dlopen("libcuda.so.1", RTLD_NOW)) {
    dlclose(real);
    WARN("skipped: this machine has an NVIDIA driver");
    return;
  }
  for (const std::string& pi : kPis) {
    GpuRun run{pi};
    run.machine = "none";
    const json document = run.json();
    CHECK_THAT(document["unsupported"].get<std::string>(), Contains("libcuda.so.1 not found"));
    CHECK_FALSE(mapped(document, "libcudart"));
  }
}

TEST_CASE("GPU indicators need a library, and say so", "[gpu]") {
  for (const std::string& pi : kPis) {
    const auto result = run_pi({pi});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, Contains("--library PATH"));
  }
}

TEST_CASE("an error of the GPU is named, with what it means and what to do", "[gpu]") {
  struct Case {
    std::string code, name, remedy;
  };
  const auto [code, name, remedy] = GENERATE(values<Case>({
      {"46", "cudaErrorDevicesUnavailable, 46", "nvidia-smi -q -d COMPUTE"},
      {"209", "cudaErrorNoKernelImageForDevice, 209", "built for its compute capability"},
      {"214", "cudaErrorECCUncorrectable, 214", "cannot be trusted until it is reset"},
      {"700", "cudaErrorIllegalAddress, 700", "compute-sanitizer"},
      {"719", "cudaErrorLaunchFailure, 719", "Xid"},
      {"999", "cudaErrorUnknown, 999", "as after a GPU was lost"},
  }));
  for (const std::string& pi : kPis)
    for (const std::string from : {"1", "4"}) {  // in the midst of the check, or of what is timed
      INFO(pi << " " << code << " from the wait " << from);
      const auto result = GpuRun{pi, with(small(pi), {"mini_batch=1"}), {"CUDA_FAKE_FAULT=" + code + "@" + from}}();
      CHECK(result.status == 3);
      CHECK(result.out.empty());
      CHECK_THAT(result.err, Contains("cudaStreamSynchronize: ") && Contains(name) && Contains(remedy));
      CHECK(result.err.size() < 400);  // of the last line stackx keeps so much
    }
}

TEST_CASE("a driver or a device that does not start says what to do", "[gpu]") {
  struct Case {
    std::string setting, reason;
  };
  const auto [setting, reason] = GENERATE(values<Case>({
      {"FAKE_CUDA_INIT=999", "CUDA_ERROR_UNKNOWN (999)"},
      {"FAKE_CUDA_INIT=34", "the toolkit's stand-in for linking"},
      {"FAKE_CUDA_INIT=46", "CUDA_ERROR_DEVICE_UNAVAILABLE (46)"},
      {"FAKE_CUDA_INIT=802", "start nvidia-fabricmanager"},
      {"FAKE_CUDA_SET_DEVICE=46", "nvidia-smi -q -d COMPUTE"},
      {"FAKE_CUDA_SET_DEVICE=2", "out of memory (cudaErrorMemoryAllocation); end what else holds the GPU's memory"},
  }));
  for (const std::string& pi : kPis) {
    const auto result = GpuRun{pi, small(pi), {setting}}();
    INFO(pi << " " << result.err);
    REQUIRE(result.status == 0);
    CHECK_THAT(result.json()["unsupported"].get<std::string>(), Contains(reason));
  }
}

TEST_CASE("memory of the GPU that runs short while it is used is unsupported", "[gpu]") {
  for (const std::string from : {"1", "4"}) {
    const json document =
        GpuRun{"memory_bandwidth", with(small("memory_bandwidth"), {"mini_batch=1"}), {"CUDA_FAKE_FAULT=2@" + from}}.json();
    CHECK_THAT(document["unsupported"].get<std::string>(),
               Contains("cudaErrorMemoryAllocation, 2): the GPU's memory ran short; our arrays take 3.0 MiB of it") &&
                   Contains("1.0 GiB are free: give a smaller size_mib, or end what else holds it (nvidia-smi)"));
    CHECK_FALSE(document.contains("samples_ns"));
  }
}
