// The arithmetic of events, flushes and windows, on functions that the test scripts.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "kernels/cuda/device/sampler.hpp"
#include "kernels/parameters.hpp"

namespace gpu_sampler_tests {

using namespace stackx::kernels;
using namespace stackx::kernels::cuda;
using Catch::Matchers::Contains;

namespace {

// A device with a clock of its own, in ms, that calls and flushes move. The functions are plain
// pointers, so what they share is global; each test starts it anew.
struct Fake {
  double device_ms = 0;
  std::int64_t host_ns = 0;
  double host_per_ms = 1e6;  // how much host time passes while the device works 1 ms
  std::map<void*, double> stamps;
  std::vector<std::string> order;  // of what the device does
  std::string host;                // what the host does meanwhile: c(all), w(ait), r(ead NVML)
  double elapsed_instead = 0;
  bool replace_elapsed = false;
  std::vector<unsigned long long> reasons;
  std::size_t readings = 0;
  int events_alive = 0;

  void work(double ms, const char* what) {
    order.push_back(what);
    if (host.empty() || host.back() != 'c') host += 'c';
    device_ms += ms;
    host_ns += static_cast<std::int64_t>(ms * host_per_ms);
  }
};
Fake fake;

constexpr double kFlushMs = 7;

Cudart fake_cudart() {
  Cudart cudart;
  cudart.version = 12040;
  cudart.cudaGetErrorName = [](int) { return "cudaErrorFake"; };
  cudart.cudaGetErrorString = [](int) { return "made by the test"; };
  cudart.cudaFree = [](void* pointer) {
    std::free(pointer);
    return 0;
  };
  cudart.cudaMalloc = [](void** pointer, std::size_t bytes) {
    *pointer = std::malloc(bytes);
    return 0;
  };
  cudart.cudaStreamCreateWithFlags = [](void** stream, unsigned) {
    *stream = &fake;
    return 0;
  };
  cudart.cudaStreamDestroy = [](void*) { return 0; };
  cudart.cudaStreamSynchronize = [](void*) {
    fake.host += 'w';
    return 0;
  };
  cudart.cudaMemsetAsync = [](void*, int, std::size_t, void*) {
    fake.work(kFlushMs, "flush");
    return 0;
  };
  cudart.cudaEventCreateWithFlags = [](void** event, unsigned) {
    *event = new char;
    ++fake.events_alive;
    return 0;
  };
  cudart.cudaEventDestroy = [](void* event) {
    delete static_cast<char*>(event);
    --fake.events_alive;
    return 0;
  };
  cudart.cudaEventRecord = [](void* event, void*) {
    fake.stamps[event] = fake.device_ms;
    return 0;
  };
  cudart.cudaEventElapsedTime = [](float* ms, void* begin, void* end) {
    *ms = static_cast<float>(fake.replace_elapsed ? fake.elapsed_instead
                                                  : fake.stamps.at(end) - fake.stamps.at(begin));
    return 0;
  };
  return cudart;
}

Nvml fake_nvml() {
  Nvml nvml;
  nvml.nvmlInit_v2 = [] { return 0; };
  nvml.nvmlErrorString = [](int) { return "made by the test"; };
  nvml.nvmlDeviceGetHandleByUUID = [](const char*, void** device) {
    *device = &fake;
    return 0;
  };
  nvml.nvmlDeviceGetCurrentClocksEventReasons = [](void*, unsigned long long* reasons) {
    *reasons = fake.reasons.at(fake.readings);
    return 0;
  };
  nvml.nvmlDeviceGetClockInfo = [](void*, int type, unsigned* mhz) {
    *mhz = type == 1 ? 1500 : 2600;
    fake.readings += type == 1;  // one reading a window
    if (type == 1) fake.host += 'r';
    fake.host_ns += 3'000'000;   // NVML is slow
    return 0;
  };
  nvml.nvmlDeviceGetUtilizationRates = [](void*, Utilization* percent) {
    *percent = {97, 41};
    return 0;
  };
  // Works the first time only: a quantity that windows lack is left out.
  nvml.nvmlDeviceGetPowerUsage = [](void*, unsigned* milliwatts) {
    *milliwatts = 100;
    return fake.readings == 1 ? 0 : 3;
  };
  return nvml;
}

DeviceInfo info() {
  DeviceInfo info;
  info.uuid = "GPU-0";
  info.l2_bytes = 50 << 20;
  return info;
}

struct Rig {
  Rig() { fake = {}; }
  Device device{Driver{}, fake_cudart(), info()};
  Clock clock{[] { return fake.host_ns; }, [] { return fake.host_ns; }};
  double call_ms = 0.25;
  std::function<void()> call = [this] { fake.work(call_ms, "call"); };

  std::unique_ptr<EventSampler> sampler(L2 l2, Conditions* conditions = nullptr) {
    Buffer flush;
    if (l2 == L2::flush) flush = std::move(*device.allocate(EventSampler::flush_bytes(info())));
    return std::make_unique<EventSampler>(device, call, clock, conditions, std::move(flush));
  }
};

}  // namespace

TEST_CASE("a mini-batch lies between two events", "[gpu]") {
  Rig rig;
  const auto sampler = rig.sampler(L2::keep);
  CHECK(sampler->run(40) == 10'000'000);
  CHECK(fake.order == std::vector<std::string>(40, "call"));
  CHECK(sampler->run(1) == 250'000);
  CHECK(fake.stamps.size() == 2);  // events are used again
}

TEST_CASE("a flush comes before every call and is not timed", "[gpu]") {
  Rig rig;
  const auto sampler = rig.sampler(L2::flush);
  for (const std::uint64_t calls : {1, 2, 63, 64, 65, 200}) {
    fake.order.clear();
    CHECK(sampler->run(calls) == static_cast<std::int64_t>(calls) * 250'000);
    REQUIRE(fake.order.size() == 2 * calls);
    for (std::size_t i = 0; i < fake.order.size(); ++i)
      CHECK(fake.order[i] == (i % 2 == 0 ? "flush" : "call"));
  }
}

TEST_CASE("a flush writes at least twice the L2 cache", "[gpu]") {
  CHECK(EventSampler::flush_bytes(info()) == 100u << 20);
  CHECK(EventSampler::flush_bytes({}) > 0);  // a driver that does not tell the size
}

TEST_CASE("events are released", "[gpu]") {
  Rig rig;
  rig.sampler(L2::flush)->run(100);
  CHECK(fake.events_alive == 0);
}

TEST_CASE("times that cannot be are errors", "[gpu]") {
  Rig rig;
  for (const auto l2 : {L2::keep, L2::flush})
    for (const double wrong : {-0.001, std::nan(""), HUGE_VAL, 1e6}) {
      INFO(wrong);
      const auto sampler = rig.sampler(l2);
      fake.replace_elapsed = true;
      fake.elapsed_instead = wrong;
      CHECK_THROWS_WITH(sampler->run(3), Contains("cannot be believed"));
      fake.elapsed_instead = 0.01;
      CHECK(sampler->run(1) == 10'000);
    }
}

TEST_CASE("events may exceed the host's clock by its inaccuracy only", "[gpu]") {
  Rig rig;
  rig.call_ms = 100;
  const auto sampler = rig.sampler(L2::keep);
  fake.host_per_ms = 1e6 / 1.005;
  CHECK(sampler->run(1) == 100'000'000);
  fake.host_per_ms = 1e6 / 1.02;
  CHECK_THROWS_AS(sampler->run(1), CudaError);
}

// Where the host waited first, the device would rest while NVML is read.
TEST_CASE("a window is read when all of the sample is enqueued, before the host waits", "[gpu]") {
  Rig rig;
  fake.reasons.assign(10, 0);
  Conditions conditions(fake_nvml(), info());
  for (const auto l2 : {L2::keep, L2::flush}) {
    const auto sampler = rig.sampler(l2, &conditions);
    fake.host.clear();
    sampler->run(100);
    CHECK(fake.host.find('r') == std::string::npos);  // calibrating, warming up
    sampler->measuring();
    fake.host.clear();
    sampler->run(100);
    sampler->measured();
    sampler->run(100);
    sampler->measured();
    // Flushed calls are enqueued 64 at a time.
    CHECK(fake.host == (l2 == L2::keep ? "wcrwwcrw" : "wcwcrwwcwcrw"));
  }
}

TEST_CASE("each measured sample has a window, which is no part of its time", "[gpu]") {
  Rig rig;
  fake.reasons = {0, 0x4, 0x1, 0x2 | 0x100, 0x40 | 0x1, 0x8};
  Conditions conditions(fake_nvml(), info());
  const auto sampler = rig.sampler(L2::keep, &conditions);
  std::vector<Phase> phases;
  Plan plan;
  plan.repetitions = 6;
  plan.warm_up_ns = 20'000'000;
  const Measurement measurement = measure(*sampler, plan, rig.clock, phases);
  const auto batch = static_cast<std::int64_t>(measurement.mini_batch);
  CHECK(measurement.samples_ns == std::vector<std::int64_t>(6, batch * 250'000));
  CHECK(conditions.windows().size() == 6);  // none for calibrating and warming up

  nlohmann::json document = {{"notes", nlohmann::json::array()}};
  conditions.describe(document);
  CHECK(document["conditions"]["throttle"] == nlohmann::json{0, 4, 1, 0x102, 0x41, 8});
  CHECK(document["conditions"]["sm_clock_mhz"] == nlohmann::json(std::vector<int>(6, 1500)));
  CHECK(document["conditions"]["memory_clock_mhz"] == nlohmann::json(std::vector<int>(6, 2600)));
  CHECK(document["conditions"]["gpu_utilization_percent"] ==
        nlohmann::json(std::vector<int>(6, 97)));
  CHECK_FALSE(document["conditions"].contains("power_w"));
  CHECK_FALSE(document["conditions"].contains("temperature_c"));
  CHECK(document["throttled"] == nlohmann::json{1, 4, 5});
  CHECK(document["notes"].empty());
}

TEST_CASE("versions of CUDA and drivers", "[gpu]") {
  CHECK(cuda_version_text(12040) == "12.4");
  CHECK(cuda_version_text(10020) == "10.2");
  for (const auto& [driver, runtime] : std::vector<std::pair<int, int>>{
           {12040, 12040}, {13000, 10000}, {12000, 12090}, {11000, 11080}, {10020, 10010}})
    CHECK_FALSE(driver_too_old(driver, runtime));
  CHECK_THAT(*driver_too_old(11080, 12000), Contains("11.8") && Contains("12.0 or newer"));
  CHECK_THAT(*driver_too_old(12090, 13000), Contains("13.0 or newer"));
  CHECK_THAT(*driver_too_old(10010, 10020), Contains("10.2 or newer"));
}

TEST_CASE("libraries are known by their names", "[gpu]") {
  for (const auto& [path, name] : std::vector<std::pair<std::string, std::string>>{
           {"/x/libcublasLt.so.12.4.5", "cublasLt"},
           {"libcudart-d0da41ae.so.11.0", "cudart"},
           {"/x/libnvrtc.so.12", "nvrtc"},
           {"/x/libnvrtc-builtins.so.12.4", "nvrtc-builtins"},
           {"/x/libcudnn.so", "cudnn"},
           {"/x/cudart.so", ""},
           {"/x/libcudart_static.a", ""}})
    CHECK(library_name(path) == name);
}

TEST_CASE("a stack's other libraries: named, beside, in the neighbouring wheel", "[gpu]") {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / ("stackx-stack-" + std::to_string(getpid()));
  const auto touch = [&](const std::string& name) {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << "x";
    return (root / name).string();
  };
  const std::string cublas = touch("nvidia/cublas/lib/libcublas.so.12");
  const std::string light = touch("nvidia/cublas/lib/libcublasLt.so.12");
  const std::string cudart = touch("nvidia/cuda_runtime/lib/libcudart.so.12");
  touch("elsewhere/lib/libnvrtc.so.12");
  const std::string named = touch("named/libcudart.so.11.0");

  const Stack stack(cublas, {});
  CHECK(stack.file("cublas") == cublas);
  CHECK(stack.file("cublasLt") == light);
  CHECK(stack.file("cudart") == cudart);
  CHECK_FALSE(stack.file("nvrtc"));
  CHECK(Stack(cublas, {named}).file("cudart") == named);
  // Two toolkits in one directory, as in a system's library directory.
  const std::string old = touch("mixed/libcublas.so.11"), fresh = touch("mixed/libcublas.so.12");
  const std::string old_light = touch("mixed/libcublasLt.so.11");
  const std::string fresh_light = touch("mixed/libcublasLt.so.12");
  CHECK(Stack(old, {}).file("cublasLt") == old_light);
  CHECK(Stack(fresh, {}).file("cublasLt") == fresh_light);
  CHECK_THROWS_AS(Stack(cublas, {(root / "none.so").string()}), UsageError);
  CHECK_THROWS_WITH(Stack(cublas, {}).open("nonesuch"), Contains("name it by --with PATH"));
  fs::remove_all(root);
}

}  // namespace gpu_sampler_tests
