#include "synthetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <nlohmann/json.hpp>
#include <vector>

#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/random.hpp"
#include "specs/result/inspection.hpp"

namespace stackx::bench {
namespace {

constexpr int samples = 50;
constexpr std::int64_t first_moment = 1'735'689'600'000'000'000;  // 2025-01-01

double uniform(specs::Random& random) {
  return (static_cast<double>(random.below(1ULL << 52)) + 0.5) / static_cast<double>(1ULL << 52);
}
double normal(specs::Random& random) {
  return std::sqrt(-2 * std::log(uniform(random))) * std::cos(6.283185307179586 * uniform(random));
}

std::string number(double value) { return nlohmann::json(value).dump(); }

std::string time_text(std::int64_t nanoseconds) {
  const std::int64_t ms = nanoseconds / 1'000'000, days = ms / 86'400'000, rest = ms % 86'400'000;
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     rest / 3'600'000, rest / 60'000 % 60, rest / 1000 % 60, rest % 1000);
}

struct Machine {
  specs::Host host;
  std::string document, fingerprint;
};

Machine machine(int index) {
  static constexpr const char* models[] = {"sapphire-rapids", "cascadelake", "zen3", "zen4", "skylake-avx512"};
  Machine result;
  specs::Host& host = result.host;
  host.hostname = fmt::format("node-{:02}", index);
  host.cpu.microarchitecture = models[index % 5];
  host.cpu.model = fmt::format("Testium {} {}", 7000 + 100 * (index % 5), models[index % 5]);
  host.cpu.vendor = "intel";
  host.cpu.family = 6;
  host.cpu.model_number = 143;
  for (int flag = 0; flag < 120; ++flag) host.cpu.isa.push_back(fmt::format("flag_{:03}", flag));
  host.cpu.packages = host.cpu.numa_nodes = 1;
  host.cpu.cores = host.cpu.threads = 32 + index % 3 * 16;
  host.cpu.caches = {{1, "data", 49152, 32}, {2, "unified", 2097152, 32}, {3, "unified", 110100480, 1}};
  host.memory_bytes = (256ULL + static_cast<std::uint64_t>(index)) << 30;
  host.gpu_note = "libnvidia-ml.so.1 not found";
  host.os = "debian";
  host.os_version = "12";
  host.kernel = "6.1.0-18-amd64";
  host.libc = "glibc 2.36";
  host.governor = host.turbo = "unknown";
  host.runtimes = {"bubblewrap 0.8.0", "podman 4.3.1"};
  result.document = specs::canonical(specs::to_json(host));
  result.fingerprint = host.fingerprint();
  return result;
}

struct Stack {
  std::map<std::string, std::string> components;
  std::string json, version, core;
  std::uint64_t file;  // of the library
};

Stack stack(int index) {
  static constexpr const char* cores[] = {"Haswell", "SkylakeX", "Zen", "Sandybridge"};
  Stack result;
  result.version = fmt::format("0.3.{}", 3 + index % 25);
  result.core = cores[index / 25 % 4];
  result.components = {{"openblas", result.version},
                       {"openblas-coretype", result.core},
                       {"python", "3.11.2"},
                       {"threads", std::to_string(1 + index / 100 % 2)}};
  result.json = nlohmann::json(result.components).dump();
  result.file = static_cast<std::uint64_t>(index % 25);
  return result;
}


struct Phases {
  std::string with_end, quoted;
};

// The phases of a run of the PI that ended at `end`: run, then what it does.
Phases phases(specs::Random& random, std::int64_t begin, std::int64_t measured, std::int64_t& end) {
  static constexpr const char* names[] = {"load", "check", "calibrate", "warm_up"};
  static constexpr double typical[] = {2.3e6, 23e6, 16e6, 85e6};
  struct Phase {
    const char* name;
    std::int64_t start, duration;
  };
  std::vector<Phase> all;
  std::int64_t at = begin + 700'000 + static_cast<std::int64_t>(random.below(200'000));
  for (int i = 0; i < 5; ++i) {
    const std::int64_t duration =
        i < 4 ? static_cast<std::int64_t>(typical[i] * std::exp(0.05 * normal(random))) : measured;
    all.push_back({i < 4 ? names[i] : "measure", at, duration});
    at += duration + 10'000 + static_cast<std::int64_t>(random.below(15'000));
  }
  end = at + 600'000 + static_cast<std::int64_t>(random.below(300'000));
  Phases result;
  result.with_end = fmt::format("{{\"duration_ns\":{},\"end_ns\":{},\"name\":\"run\",\"start_ns\":{}}}",
                                end - begin, end, begin);
  for (const Phase& phase : all) {
    result.with_end += fmt::format(",{{\"duration_ns\":{},\"end_ns\":{},\"name\":\"{}\",\"start_ns\":{}}}",
                                   phase.duration, phase.start + phase.duration, phase.name, phase.start);
    result.quoted += fmt::format("{}{{\\\"duration_ns\\\":{},\\\"name\\\":\\\"{}\\\",\\\"start_ns\\\":{}}}",
                                 result.quoted.empty() ? "" : ",", phase.duration, phase.name, phase.start);
  }
  return result;
}

std::string library(std::uint64_t file) {
  return fmt::format("/var/cache/stackx/wheels/{}/scipy_openblas64/lib/libscipy_openblas64_.so",
                     specs::sha256(std::to_string(file)));
}

class Campaign {
 public:
  Campaign(const Size& size, std::uint64_t index, std::uint64_t seed, const Machine& machine)
      : random_(seed * 1'000'003 + index), machine_(machine), size_(size) {
    const auto panels = static_cast<std::uint64_t>(size.devices) * static_cast<std::uint64_t>(size.workloads);
    workload_ = static_cast<int>(index / static_cast<std::uint64_t>(size.devices) % static_cast<std::uint64_t>(size.workloads));
    first_stack_ = static_cast<int>(index / panels * static_cast<std::uint64_t>(size.arms) % static_cast<std::uint64_t>(size.stacks));
    id_ = specs::sha256(fmt::format("campaign {} {}", seed, index));
    level_ = 0.01 * normal(random_);
    moment_ = first_moment + static_cast<std::int64_t>(index) * size.arms * size.rounds * 300'000'000;
  }

  void write(const std::function<void(const std::string&)>& put) {
    for (int a = 0; a < size_.arms; ++a) stacks_.push_back(stack((first_stack_ + a) % size_.stacks));
    std::vector<int> order(stacks_.size());
    std::iota(order.begin(), order.end(), 0);
    for (int round = 0; round < size_.rounds; ++round) {
      for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random_.below(i)]);
      for (int position = 0; position < size_.arms; ++position)
        put(document(stacks_[static_cast<std::size_t>(order[static_cast<std::size_t>(position)])], round, position));
    }
  }

 private:
  double log_rate(const Stack& stack) const {
    specs::Random of_stack(std::hash<std::string>()(stack.json) ^ static_cast<std::uint64_t>(workload_) * 7919);
    return std::log(200.0) + 0.15 * normal(of_stack) + 0.002 * static_cast<double>(stack.file);
  }

  std::string document(const Stack& stack, int round, int position) {
    const int size = 128 << (workload_ % 4);
    const std::string dtype = workload_ / 4 % 2 ? "float64" : "float32";
    const int batch = 1 << (workload_ / 8);
    const double flop = 2.0 * size * size * size * batch;
    const bool crashed = random_.below(100) == 0;
    const double rate = log_rate(stack) + level_ + 0.01 * normal(random_);
    std::string times;
    std::int64_t measured = 0;
    for (int s = 0; s < samples && !crashed; ++s) {
      const double ns = 5e6 * std::exp(std::log(200.0) - rate + 0.01 * normal(random_) + (random_.below(20) == 0 ? 0.05 : 0));
      const auto sample = static_cast<std::int64_t>(ns);
      measured += sample;
      times += fmt::format("{}{}", s ? "," : "", sample);
    }
    std::int64_t end = 0;
    const Phases phase = phases(random_, moment_, measured + 30'000 + static_cast<std::int64_t>(random_.below(40'000)), end);
    moment_ = end + 40'000'000;
    const std::string finished = time_text(end + 1'200'000);
    const std::string params = fmt::format("\"dtype\":\"{0}\",\"k\":\"{1}\",\"m\":\"{1}\"", dtype, size);
    const std::string check = fmt::format("\"bound\":9.5367431640625e-07,\"max_relative_error\":{},\"pass\":true,\"reference\":\"every entry in double\"", number(1e-7 + 1e-9 * static_cast<double>(stack.file)));
    std::string quoted_check = check;
    for (std::size_t at = 0; (at = quoted_check.find('"', at)) != std::string::npos; at += 2) quoted_check.insert(at, "\\");
    const std::string work = fmt::format("\"bytes\":{},\"flop\":{},\"items\":1.0", number(12.0 * size * size), number(flop));
    const std::string path = library(stack.file);
    const std::string tail = crashed ? "" : fmt::format(
        "{{\\\"check\\\":{{{0}}},\\\"component\\\":\\\"openblas\\\",\\\"files\\\":[\\\"/usr/lib/x86_64-linux-gnu/libm.so.6\\\",\\\"/usr/lib/x86_64-linux-gnu/libc.so.6\\\",\\\"{1}\\\",\\\"/usr/lib/x86_64-linux-gnu/libgcc_s.so.1\\\"],\\\"library\\\":{{\\\"config\\\":\\\"OpenBLAS {2}  USE64BITINT DYNAMIC_ARCH NO_AFFINITY {3} MAX_THREADS=64\\\",\\\"core\\\":\\\"{3}\\\",\\\"interface\\\":\\\"ilp64\\\",\\\"kind\\\":\\\"openblas\\\",\\\"path\\\":\\\"{1}\\\",\\\"threading\\\":\\\"pthreads\\\",\\\"threads\\\":1}},\\\"loaded\\\":{{\\\"openblas\\\":\\\"{2}\\\"}},\\\"name\\\":\\\"matmul\\\",\\\"notes\\\":[],\\\"parameters\\\":{{\\\"dtype\\\":\\\"{4}\\\",\\\"k\\\":{5},\\\"m\\\":{5},\\\"max_seconds\\\":0,\\\"min_sample_ms\\\":5,\\\"mini_batch\\\":{6},\\\"n\\\":{5},\\\"repetitions\\\":50,\\\"seed\\\":1,\\\"threads\\\":1,\\\"warmup_ms\\\":100}},\\\"phases\\\":[{7}],\\\"samples_ns\\\":[{8}],\\\"work\\\":{{\\\"bytes\\\":{9},\\\"flop\\\":{10},\\\"items\\\":1.0}}}}\\n",
        quoted_check, path, stack.version, stack.core, dtype, size, batch, phase.quoted, times, number(12.0 * size * size), number(flop));
    const std::string arm = specs::sha256(stack.json).substr(0, 12);
    const std::string before = fmt::format(
        "{{\"$schema\":\"stackx/inspection/1\",\"arm\":\"{}\",\"artifacts\":{{\"scipy_openblas64-{}.whl\":\"{}\"}},\"campaign\":\"{}\",{}\"device\":\"{}\",{}\"finished\":\"{}\",\"host\":{},",
        arm, stack.version, specs::sha256(std::to_string(stack.file)), id_, crashed ? "" : fmt::format("\"check\":{{{}}},", check),
        machine_.fingerprint, crashed ? "" : "\"exit_code\":0,", finished, machine_.document);
    const std::string after = fmt::format(
        "\"load_1m\":{},\"loaded\":{{\"openblas\":\"{}\"}},\"outcome\":\"{}\",\"parameters\":{{{},\"max_seconds\":\"0\",\"min_sample_ms\":\"5\",\"mini_batch\":\"{}\",\"n\":\"{}\",\"repetitions\":\"50\",\"seed\":\"1\",\"threads\":\"1\",\"warmup_ms\":\"100\"}},\"phases\":[{}],\"position\":{},\"reason\":\"{}\",\"round\":{},\"runner\":\"local (bubblewrap 0.8.0)\",\"samples_ns\":[{}],\"sentinel\":false,\"stack\":{},\"stackx_version\":\"0.1.0\",\"stderr_tail\":\"\",\"stdout_tail\":\"{}\",\"steal\":{},\"usage\":{{\"involuntary_switches\":{},\"major_faults\":0,\"max_rss_bytes\":{},\"minor_faults\":{},\"system_s\":{},\"user_s\":{},\"voluntary_switches\":{}}},\"work\":{{{}}},\"workload\":{{\"params\":{{{},\"mini_batch\":\"{}\",\"n\":\"{}\"}},\"pi\":\"matmul\"}}}}",
        number(static_cast<double>(random_.below(4096)) / 2048), stack.version, crashed ? "crashed" : "ok", params, batch, size, phase.with_end, position,
        crashed ? "ended by signal 11 (Segmentation fault)" : "", round, times, stack.json, tail,
        random_.below(20) ? "0.0" : number(static_cast<double>(random_.below(100)) / 4096), random_.below(9),
        16'800'000 / 4096 * 4096 + 4096 * static_cast<std::int64_t>(random_.below(60)), 1850 + random_.below(80),
        number(static_cast<double>(3000 + random_.below(3000)) / 1e6), number(static_cast<double>(220'000 + random_.below(20'000)) / 1e6),
        1 + random_.below(3), work, params, batch, size);
    const std::string id = specs::sha256(before + after);
    return before + "\"id\":\"" + id + "\"," + after;
  }

  specs::Random random_;
  const Machine& machine_;
  const Size& size_;
  std::vector<Stack> stacks_;
  std::string id_;
  int workload_ = 0, first_stack_ = 0;
  double level_ = 0;
  std::int64_t moment_ = 0;
};

}  // namespace

Size size_of(std::uint64_t inspections) {
  if (inspections <= 200'000) return {inspections, 5, 8, 50};
  if (inspections <= 2'000'000) return {inspections, 20, 10, 100};
  return {inspections, 40, 20, 200};
}

Size one_panel(std::uint64_t inspections) { return {inspections, 1, 1, 16, 16, 250}; }

void generate(const Size& size, std::uint64_t seed,
              const std::function<void(const std::string& line)>& put) {
  std::vector<Machine> machines;
  for (int i = 0; i < size.devices; ++i) machines.push_back(machine(i));
  std::uint64_t written = 0;
  for (std::uint64_t index = 0; written < size.inspections; ++index) {
    bool first = true;
    Campaign(size, index, seed, machines[index % machines.size()]).write([&](const std::string& line) {
      if (written == size.inspections) return;
      if (first)
        (void)specs::inspection_from(specs::Node::parse_text(line, fmt::format("campaign {}", index)));
      first = false;
      ++written;
      put(line);
    });
  }
}

}  // namespace stackx::bench
