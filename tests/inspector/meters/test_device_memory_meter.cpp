// The most of a GPU's memory that a run held: of its processes and no others, or of the device where the driver hides them.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "inspector/confinement/sandbox.hpp"
#include "inspector/confinement/supervised_run.hpp"
#include "inspector/meters/device_memory_meter.hpp"
#include "tests/inspector/support.hpp"

namespace device_memory_meter_tests {

using namespace stackx::inspector;
using namespace stackx::inspector::testing;
using namespace std::chrono_literals;

namespace {

// A device whose holders a test changes while the meter looks.
class PlayedMemory : public GpuMemory {
 public:
  std::optional<std::uint64_t> used() override {
    const std::lock_guard lock(mutex_);
    return used_;
  }
  std::vector<GpuProcess> processes() override {
    const std::lock_guard lock(mutex_);
    ++looks_;
    return processes_;
  }
  // Stays until it was looked at twice.
  void hold(std::uint64_t used, std::vector<GpuProcess> processes) {
    std::unique_lock lock(mutex_);
    used_ = used, processes_ = std::move(processes), looks_ = 0;
    for (int i = 0; i < 6000 && looks_ < 2; ++i) {
      lock.unlock();
      std::this_thread::sleep_for(10ms);
      lock.lock();
    }
    REQUIRE(looks_ >= 2);
  }
  void begin(std::uint64_t used) { used_ = used; }

 private:
  std::mutex mutex_;
  std::uint64_t used_ = 0;
  std::vector<GpuProcess> processes_;
  int looks_ = 0;
};

// A process below one that has the mark, as a PI is below its supervisor: "sh MARK" -> "sleep".
class Marked {
 public:
  explicit Marked(const std::string& word) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    shell_ = fork();
    if (shell_ == 0) {
      dup2(ends[1], 1);
      close(ends[0]), close(ends[1]);
      execl("/bin/sh", "sh", "-c", "sleep 1000 >/dev/null & echo $!; wait", word.c_str(), nullptr);
      _exit(127);
    }
    close(ends[1]);
    char text[32] = {};
    REQUIRE(::read(ends[0], text, sizeof text - 1) > 0);
    close(ends[0]);
    pid_ = std::stoi(text);
  }
  ~Marked() {
    kill(pid_, SIGKILL);
    kill(shell_, SIGKILL);
    waitpid(shell_, nullptr, 0);
  }
  unsigned pid() const { return static_cast<unsigned>(pid_); }

 private:
  pid_t shell_ = -1, pid_ = -1;
};

// Of the process with this command line, once there is one.
std::optional<pid_t> pid_of(const std::string& command_line) {
  for (int i = 0; i < 3000; ++i, std::this_thread::sleep_for(20ms))
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const auto name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") == std::string::npos && testing::read(entry.path() / "cmdline") == command_line)
        return std::stoi(name);
    }
  return std::nullopt;
}

const auto own_pid = static_cast<unsigned>(getpid());  // has no marked ancestor

}  // namespace

TEST_CASE("device memory: the most that the run's processes held together, without others'") {
  const RunMark mark;
  const Marked one(mark.word()), two(mark.word()), foreign(RunMark().word());
  const auto memory = std::make_shared<PlayedMemory>();
  memory->begin(1000);
  DeviceMemoryMeter meter(memory, mark);
  memory->hold(9000, {{one.pid(), 3000}, {own_pid, 70'000}, {foreign.pid(), 500}});
  memory->hold(9500, {{one.pid(), 2500}, {two.pid(), 1500}, {own_pid, 70'000}});
  memory->hold(8000, {{two.pid(), 1500}});
  CHECK(meter.end() == stackx::specs::DeviceMemory{4000, std::nullopt});
  CHECK_FALSE(meter.end());
}

TEST_CASE("device memory: of the device where the driver hides a number of the run's, or names none of its processes") {
  const RunMark mark;
  const Marked one(mark.word());
  for (const auto& hidden : {GpuProcess{one.pid(), std::nullopt}, GpuProcess{own_pid, 70'000}}) {
    const auto memory = std::make_shared<PlayedMemory>();
    memory->begin(1000);
    DeviceMemoryMeter meter(memory, mark);
    memory->hold(9000, {hidden});
    memory->hold(7000, {hidden});
    CHECK(meter.end() == stackx::specs::DeviceMemory{8000, 1000});
  }
}

TEST_CASE("device memory: nothing where nothing was held, or there is no device") {
  const auto memory = std::make_shared<PlayedMemory>();
  memory->begin(1000);
  DeviceMemoryMeter meter(memory, RunMark());
  memory->hold(1000, {{own_pid, 500}});
  CHECK_FALSE(meter.end());
  DeviceMemoryMeter none(nullptr, RunMark());
  CHECK_FALSE(none.end());
}

TEST_CASE("run mark: who is below the supervisor of a run, in a sandbox or not, and nobody else") {
  for (const auto& sandbox : {Sandbox::none("not wanted", supervisor()), Sandbox::probe(supervisor())}) {
    INFO(sandbox.description());
    SupervisedRun what;
    RunMark mark;
    what.supervisor = supervisor();
    what.argv = {"/bin/sleep", "615.5"};
    what.mark = mark.word();
    std::atomic<bool> stop = false;
    what.stop = [&] { return stop.load(); };
    std::thread running([&] { run(what, sandbox); });
    const auto sleeping = pid_of(std::string("/bin/sleep\0" "615.5\0", 17));
    const bool ours = sleeping && mark.covers(*sleeping);
    const bool others = mark.covers(getpid()) || mark.covers(getppid()) || (sleeping && RunMark().covers(*sleeping));
    stop = true;
    running.join();
    REQUIRE(sleeping);
    CHECK(ours);
    CHECK_FALSE(others);
  }
}

}  // namespace device_memory_meter_tests
