// What fits the memory and what does not: as the kernel and control groups tell of it, and as each PI says it.
#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "kernels/memory.hpp"
#include "tests/kernels/gpu_pi.hpp"

namespace memory_tests {

using namespace stackx::kernels;
using Catch::Matchers::Contains;
using Catch::Matchers::Matches;
using Words = std::vector<std::string>;

namespace {

constexpr double kGib = 0x1p30;

// A file system with what these tests write, gone with it.
struct Root {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("stackx-memory-" + std::to_string(getpid()));
  Root() { put("/proc/meminfo", "MemTotal: 33554432 kB\nMemAvailable:   16777216 kB\n"); }
  ~Root() { std::filesystem::remove_all(path); }
  void put(const std::string& file, const std::string& text) const {
    const auto at = path.string() + file;
    std::filesystem::create_directories(std::filesystem::path(at).parent_path());
    std::ofstream(at) << text;
  }
  void mounted(const std::string& what) const { put("/proc/self/mountinfo", "23 1 0:1 / / rw - ext4 /dev/a rw\n" + what); }
  void group(const std::string& directory, double limit_gib, double used_gib, double droppable_gib) const {
    const auto bytes = [](double gib) { return std::to_string(static_cast<std::uint64_t>(gib * kGib)) + "\n"; };
    put(directory + "/memory.max", bytes(limit_gib));
    put(directory + "/memory.current", bytes(used_gib));
    put(directory + "/memory.stat", "anon 5\nfile 7\ninactive_file " + bytes(droppable_gib));
  }
  Free free(double processes = 1) const { return free_host_memory(processes, path.string()).value(); }
};

constexpr const char* kUnified = "31 23 0:2 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw\n";

Parameters product() { return {{{"m", "200000", ""}, {"dtype", "float32", ""}}, {}}; }

}  // namespace

TEST_CASE("what the kernel says is available", "[memory]") {
  const Root root;
  CHECK(root.free().bytes == 16 * kGib);
  CHECK_THAT(root.free().by, Contains("/proc/meminfo"));
  CHECK_FALSE(free_host_memory(1, "/nowhere"));
  CHECK(free_host_memory().value().bytes > 0);
}

TEST_CASE("what control groups leave: version 2, the group and all above it", "[memory]") {
  const Root root;
  root.mounted(kUnified);
  root.put("/proc/self/cgroup", "0::/a/b\n");
  root.group("/sys/fs/cgroup/a/b", 8, 3, 1);
  CHECK(root.free().bytes == 6 * kGib);
  CHECK_THAT(root.free().by, Contains("control group"));
  root.group("/sys/fs/cgroup/a", 20, 18, 0.5);
  CHECK(root.free().bytes == 2.5 * kGib);
  root.put("/sys/fs/cgroup/a/memory.max", "max\n");
  CHECK(root.free().bytes == 6 * kGib);
  root.group("/sys/fs/cgroup/a/b", 8, 9, 0);
  CHECK(root.free().bytes == 0);
  root.group("/sys/fs/cgroup/a/b", 800, 9, 0);
  CHECK(root.free().bytes == 16 * kGib);
}

TEST_CASE("what control groups leave: in a container, which sees a part", "[memory]") {
  const Root root;
  root.mounted("31 23 0:2 /pods/p1 /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
  root.group("/sys/fs/cgroup", 4, 1, 0);
  root.group("/sys/fs/cgroup/inner", 3, 1, 0);
  for (const auto& [name, gib] : {std::pair{"0::/pods/p1\n", 3}, {"0::/\n", 3}, {"0::/pods/p2\n", 3}, {"0::/pods/p1/inner\n", 2}}) {
    root.put("/proc/self/cgroup", name);
    CHECK(root.free().bytes == gib * kGib);
  }
}

TEST_CASE("what control groups leave: version 1, and none", "[memory]") {
  const Root root;
  root.mounted("35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n" + std::string(kUnified));
  root.put("/proc/self/cgroup", "4:memory:/job\n3:cpuset:/\n0::/\n");
  root.put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "4294967296\n");
  root.put("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "2147483648\n");
  root.put("/sys/fs/cgroup/memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 1073741824\n");
  CHECK(root.free().bytes == 3 * kGib);
  root.put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");  // none
  CHECK(root.free().bytes == 16 * kGib);
}

// So much that no test runs into it.
struct AddressSpace {
  static constexpr rlim_t kBytes = rlim_t{1} << 46;
  rlimit before{};
  AddressSpace() {
    getrlimit(RLIMIT_AS, &before);
    const rlimit ours{kBytes, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_AS, &ours) == 0);
  }
  ~AddressSpace() { setrlimit(RLIMIT_AS, &before); }
};

TEST_CASE("each process has a limit of address space of its own, and all share the machine", "[memory]") {
  const Root root;
  const AddressSpace limit;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  root.put("/proc/self/statm", std::to_string((AddressSpace::kBytes - 3 * static_cast<std::uint64_t>(kGib)) / page) + " 7 7\n");
  CHECK(root.free().bytes == 3 * kGib);
  CHECK_THAT(root.free().by, Contains("address space of each process"));
  CHECK(root.free(4).bytes == 12 * kGib);
  CHECK(root.free(6).bytes == 16 * kGib);
  CHECK_THAT(root.free(6).by, Contains("/proc/meminfo"));
}

TEST_CASE("the sentence names what is needed, what there is, and what takes less", "[memory]") {
  const Need need{.keys = {"m", "dtype"}, .arrays = 447 * kGib, .check = 6.5 * kGib, .device = 447 * kGib};
  CHECK(too_large(need, product(), Free{128 * kGib, "by the test"}, 139 * kGib).value() ==
        "m=200000 dtype=float32 takes 453.5 GiB of host memory (447.0 GiB for arrays, 6.5 GiB for the check) and 447.0 GiB of the "
        "GPU's; there are 128.0 GiB of the host's (by the test) and 139.0 GiB of the GPU's: give a smaller m or dtype");
  const Free much{1024 * kGib, ""};
  CHECK(too_large(need, product(), much, 139 * kGib));
  CHECK(too_large(need, product(), std::nullopt, 446 * kGib));
  CHECK(too_large(need, product(), Free{453 * kGib, ""}, std::nullopt));
  CHECK_FALSE(too_large(need, product(), much, 447 * kGib));
  CHECK_FALSE(too_large(need, product(), std::nullopt, std::nullopt));
  CHECK_FALSE(too_large({}, product(), Free{0, ""}, 0));
  const Need shared{.keys = {"m"}, .arrays = kGib, .processes = 4};
  CHECK_FALSE(too_large(shared, product(), Free{4 * kGib, ""}, std::nullopt));
  CHECK_THAT(too_large(shared, product(), Free{3 * kGib, ""}, std::nullopt).value(), Contains("4.0 GiB of host memory in 4 processes"));
}

TEST_CASE("amounts are read without counting digits", "[memory]") {
  CHECK(amount(512) == "0.5 KiB");
  CHECK(amount(64 << 20) == "64.0 MiB");
  CHECK(amount(1.5 * kGib) == "1.5 GiB");
  CHECK(amount(0x1p82) == "4194304.0 EiB");
}

TEST_CASE("what passes 2^64 bytes is no small matrix", "[memory]") {
  Matrix matrix(std::size_t{1} << 40, std::size_t{1} << 40, Element::float64);
  CHECK(matrix.bytes() == 0);
  CHECK(matrix.need() == 0x1p83);
  CHECK_THROWS_AS(matrix.data(), std::bad_alloc);
}

TEST_CASE("every PI refuses what does not fit the host, before it takes it", "[memory]") {
  struct Case {
    std::string library;
    Words words;
    std::string needs;
  };
  const std::string most = "1048576";
  const auto [library, words, needs] = GENERATE_COPY(values<Case>({
      {fake("right"), {"matmul", "m=1000000", "n=1000000", "k=1000000"}, "10.9 TiB"},
      {fake("right"), {"matmul", "m=1000000000", "n=1000000000", "k=1000000000", "dtype=float64"}, "20.8 EiB"},
      {fake("right"), {"matmul", "batch=" + most, "m=10000", "n=10000", "k=10000"}, "batch=1048576 dtype=float32 takes"},
      {fake("onednn3"), {"matmul", "m=1000000", "n=1000000", "k=1000000", "dtype=bfloat16"}, "7.3 TiB"},
      {fake("onednn3"), {"conv2d", "batch=" + most, "height=" + most, "width=" + most, "in_channels=" + most}, "EiB"},
      {fake("onednn2"), {"lstm", "batch=" + most, "time_steps=" + most, "hidden_size=" + most}, "EiB"},
      {fake("onednn3"), {"gru", "batch=1", "time_steps=1", "hidden_size=" + most}, "24.0 TiB"},
      {fake("onednn3"), {"attention", "batch=65536", "heads=65536", "sequence=65536", "head_size=65536"}, "384.0 EiB"},
      {fake("onednn2"), {"softmax", "rows=16777216", "columns=16777216"}, "2.0 PiB"},
      {fake("onednn3"), {"layer_norm", "rows=16777216", "columns=16777216"}, "2.0 PiB"},
      {fake("onednn3"), {"transformer_ops", "batch=65536", "context=" + most, "model=llama-3.1-8b"}, "16.0 EiB"},
      {fake("right"), {"transformer_ops", "batch=65536", "context=" + most, "model=llama-3.1-8b"}, "8.0 EiB"},
      {"", {"stream", "elements=1099511627776"}, "24.0 TiB"},
  }));
  Words arguments = words;
  if (!library.empty()) arguments.insert(arguments.begin() + 1, {"--library", library});
  const auto result = run_pi(arguments);
  INFO(words[0] << ": " << result.err);
  REQUIRE(result.status == 0);
  const auto document = result.json();
  CHECK_FALSE(document.contains("samples_ns"));
  CHECK_FALSE(document.contains("check"));
  const auto reason = document["unsupported"].get<std::string>();
  CHECK_THAT(reason, Contains(needs) && Matches(".* takes .*iB of host memory.*; there are .*iB of the host's \\(.*: give a smaller .*"));
  CHECK(document["memory"]["load"].get<double>() < kGib);
}

TEST_CASE("every PI refuses what does not fit the GPU, before it takes it", "[memory][gpu]") {
  struct Case {
    std::string library;
    Words words;
    std::string needs;
  };
  const std::string most = "1048576", cudnn = gpu_fake("cudnn", "libcudnn.so.9");
  const auto [library, words, needs] = GENERATE_COPY(values<Case>({
      {gpu_fake("right", "libcudart.so.12"), {"memory_bandwidth", "size_mib=400"}, "1.2 GiB of the GPU's"},
      {gpu_fake("right", "libcudart.so.12"), {"transfer", "size_kib=2000000"}, "1.9 GiB of the GPU's"},
      {gpu_fake("nccl", "libnccl.so.2"), {"all_reduce", "bytes=600000000"}, "1.1 GiB of the GPU's"},
      {cudnn, {"conv2d", "batch=64", "height=1000", "width=1000", "bias=0"}, "GPU's"},
      {cudnn, {"conv2d", "batch=" + most, "height=" + most, "width=" + most, "in_channels=" + most}, "EiB of the GPU's"},
  }));
  Words arguments = words;
  arguments.insert(arguments.begin() + 1, {"--library", library, "--with", gpu_fake("right", "libcudart.so.12")});
  const auto result = run_pi(arguments, {"LD_LIBRARY_PATH=" + gpu_fake("right")});
  INFO(words[0] << ": " << result.err);
  REQUIRE(result.status == 0);
  const auto document = result.json();
  CHECK_FALSE(document.contains("samples_ns"));
  CHECK_THAT(document["unsupported"].get<std::string>(),
             Contains(needs) && Contains("of host memory") && Contains("and 1.0 GiB of the GPU's: give a smaller"));
}

TEST_CASE("what is free on the GPU counts, not what it has", "[memory][gpu]") {
  GpuRun run{"memory_bandwidth", {"size_mib=2", "repetitions=1"}, {"FAKE_CUDA_FREE=6291456"}};
  CHECK(run.json()["check"]["pass"] == true);
  run.environment = {"FAKE_CUDA_FREE=6291455"};
  CHECK_THAT(run.json()["unsupported"].get<std::string>(),
             Contains("size_mib=2 takes") && Contains("6.0 MiB of the GPU's; there are"));
}

}  // namespace memory_tests
