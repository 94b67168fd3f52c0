#include "inspector/confinement/supervised_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "specs/error.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;
using specs::Outcome;

constexpr std::size_t output_limit = std::size_t{16} << 20;
constexpr std::chrono::seconds grace{5};  // for what is told to end

// The PI's working directory where there is no confiner with a /tmp of its own.
class Scratch {
 public:
  explicit Scratch(bool needed) {
    if (!needed) return;
    auto name = fs::absolute(fs::temp_directory_path() / "stackx-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw broken_environment(fmt::format("{}: cannot be created: {}", name, strerror(errno)));
    }
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  fs::path path() const { return path_; }

 private:
  fs::path path_;
};

// Where we are root, the PI is not: a user that nobody else is while it runs, so that what the kernel counts of a user is
// of this run alone. systemd's map of user ids leaves these to nobody.
uid_t other_user() {
  if (geteuid() != 0) return 0;
  return 0x70000000U + static_cast<uid_t>(getpid() & 0xffffff);
}

Environment pi_environment(const SupervisedRun& what, const fs::path& scratch) {
  Environment result = what.variables;
  const auto home = scratch.empty() ? std::string("/tmp") : scratch.string();
  result.emplace("PATH", "/usr/local/bin:/usr/bin:/bin");
  result.emplace("LC_ALL", "C.UTF-8");
  result.emplace("HOME", home);
  result.emplace("TMPDIR", home);
  for (const char* name : {"USER", "LOGNAME"}) result.emplace(name, "stackx");  // the system may know none by its number
  return result;
}

std::vector<std::string> command_line(const SupervisedRun& what, const Confiner& confiner,
                                      const fs::path& scratch) {
  const auto& confinement = what.confinement;
  auto words = confiner.wrap(confinement);
  const auto add = [&](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  add({what.supervisor.string(), "--seconds", fmt::format("{:.3f}", what.timeout_seconds)});
  add({"--memory", std::to_string(confinement.memory_bytes)});
  add({"--processes", std::to_string(confinement.processes), "--tasks", std::to_string(confinement.tasks())});
  if (confinement.disk_bytes > 0) add({"--disk", std::to_string(confinement.disk_bytes)});
  for (const auto& path : confinement.writable) add({"--writable", path.string()});
  if (const auto user = other_user(); user != 0 && confiner.available()) add({"--user", std::to_string(user)});
  if (const auto& cpus = confinement.cpus; !cpus.empty())
    add({"--cpus", fmt::format("{}", fmt::join(cpus, ","))});
  if (!what.mark.empty()) add({"--mark", what.mark});
  for (const auto& word : confiner.orders()) words.push_back(word);
  for (const auto& [name, value] : pi_environment(what, scratch))
    add({"--env", name + "=" + value});
  words.emplace_back("--");
  words.insert(words.end(), what.argv.begin(), what.argv.end());
  return words;
}

std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const auto newline = text.rfind('\n');
  return tail(newline == std::string::npos ? text : text.substr(newline + 1), 400);
}

std::string gibibytes(std::uint64_t bytes) {
  return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / (1 << 30));
}

Verdict not_started(const SupervisedRun& what, int error) {
  std::string reason = fmt::format("{} cannot be executed: {}", what.argv.at(0), strerror(error));
  if (error == ENOENT) {
    reason += "; the file is there, so its interpreter is missing (or hidden by the sandbox)";
  } else if (error == EACCES && other_user() != 0) {
    reason += "; root's inspections run as another user: everybody must be able to read and execute it (chmod a+rx)";
  }
  return {Outcome::missing_pi, reason};
}

Verdict judge_exit(const RunResult& result, const Supervision& report) {
  if (report.end == Supervision::End::signalled) {
    std::string reason = "the PI was ended by " + signal_name(report.status);
    if (report.status == SIGKILL) {
      reason += ", which stackx did not send: the kernel out of memory, or somebody";
    }
    return {Outcome::crashed, reason};
  }
  if (report.left > 0) {
    return {
        Outcome::left_processes,
        fmt::format("the PI exited while {} that it had started still ran; killed",
                    report.left == 1 ? "a process" : std::to_string(report.left) + " processes")};
  }
  if (report.status != 0) {
    const auto said = last_line(result.process.err);
    return {Outcome::failed, fmt::format("the PI ended with exit status {}{}", report.status,
                                         said.empty() ? "" : ": " + said)};
  }
  return {};
}

// What both clocks say.
struct Instant {
  std::chrono::nanoseconds wall, steady;
  static Instant now() {
    return {std::chrono::system_clock::now().time_since_epoch(), std::chrono::steady_clock::now().time_since_epoch()};
  }
};

// A run takes no longer than we waited for it. Its start is the wall clock's, which somebody may set meanwhile.
bool lies_in(const Instant& started, const Supervision& report) {
  const auto waited = Instant::now().steady - started.steady;
  constexpr auto a_day = std::chrono::hours(24);
  const auto start = std::chrono::nanoseconds(report.start_ns);
  return std::chrono::nanoseconds(report.duration_ns) <= waited + std::chrono::seconds(1) &&
         (report.end == Supervision::End::not_started ||
          (start >= started.wall - a_day && start <= started.wall + waited + a_day));
}

// Both are of CLOCK_MONOTONIC. A moment outside of what we waited for is of another kernel's: of a virtual machine's.
std::optional<ConfinerStart> start_of(const Instant& started, const Supervision& report) {
  const auto took = report.began_ns - started.steady.count();
  if (took <= 0 || report.began_ns > Instant::now().steady.count()) return std::nullopt;
  return ConfinerStart{started.wall.count(), took};
}

// A backstop: the supervisor holds the PI to its own time.
std::chrono::milliseconds most_time(const SupervisedRun& what, const Confiner& confiner) {
  return std::chrono::milliseconds(std::llround(what.timeout_seconds * 1000)) + confiner.overhead();
}

}  // namespace

RunResult run(const SupervisedRun& what, const Confiner& confiner) {
  const Scratch scratch(!confiner.available());
  Command command;
  command.argv = command_line(what, confiner, scratch.path());
  command.environment = confiner.environment();  // the supervisor gives the PI its own
  command.directory = confiner.available() || what.confinement.directory.empty() ? scratch.path() : what.confinement.directory;
  command.deadline = most_time(what, confiner);
  command.stdout_limit = command.stderr_limit = output_limit;
  command.channel = true;
  command.grace = grace;
  command.stop = what.stop;
  RunResult result;
  const auto started = Instant::now();
  result.process = run(command);
  if (result.process.end != End::exited) confiner.clean_up(command.argv);
  result.supervision = supervision_from(result.process.channel);
  if (result.supervision && !lies_in(started, *result.supervision)) result.supervision.reset();
  if (result.supervision) result.start = start_of(started, *result.supervision);
  return result;
}

Verdict judge(const SupervisedRun& what, const RunResult& result) {
  if (result.process.end == End::stopped) return {Outcome::failed, "interrupted"};
  if (result.process.end == End::deadline)
    return {Outcome::timed_out, "what the PI should run in did not start it, or did not end, and was ended"};
  if (result.process.end == End::output_limit) {
    return {Outcome::output_limit,
            fmt::format("the PI printed more than {} MiB and was ended", output_limit >> 20)};
  }
  if (!result.supervision) {
    const auto said = last_line(result.process.err);
    return {Outcome::failed, fmt::format("the supervisor ended without a report that can be true{}{}",
                                         said.empty() ? "" : "; last on stderr, where the PI writes as well: ", said)};
  }
  const auto& report = *result.supervision;
  switch (report.end) {
    case Supervision::End::not_started:
      return not_started(what, report.status);
    case Supervision::End::deadline:
      return {Outcome::timed_out, fmt::format("the PI ran past its limit of {:g} s and was ended",
                                              what.timeout_seconds)};
    case Supervision::End::memory:
      return {
          Outcome::out_of_memory,
          fmt::format("the PI's processes used {} together, more than the limit of {}, and were "
                      "ended",
                      gibibytes(report.peak_bytes), gibibytes(what.confinement.memory_bytes))};
    case Supervision::End::processes:
      return {Outcome::failed,
              fmt::format("the PI started more than {} processes, or {} with their threads, and was ended",
                          what.confinement.processes, what.confinement.tasks())};
    case Supervision::End::disk:
      return {Outcome::failed, fmt::format("it wrote more than {} (or hid what it wrote, or filled the disk) and was ended",
                                           gibibytes(what.confinement.disk_bytes))};
    case Supervision::End::stopped:
      return {Outcome::failed, "interrupted"};
    case Supervision::End::exited:
    case Supervision::End::signalled:
      break;
  }
  return judge_exit(result, report);
}

}  // namespace stackx::inspector
