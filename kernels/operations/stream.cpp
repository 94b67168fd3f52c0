// stream: the bandwidth of main memory by the loops of STREAM (kernels/reference/stream_kernel.hpp). Needs no
// library.
//
// STREAM's rules: each array at least four times as large as the last-level caches together, which
// is the default; smaller ones by `elements` measure caches. Threads are pinned to the CPUs that
// the process may use, each works on its own part of the arrays and has touched it first, so that
// on a machine of several nodes memory is local. One loop is timed, not the four in turn.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "kernels/operation.hpp"
#include "kernels/pi.hpp"
#include "kernels/reference/comparison.hpp"
#include "kernels/reference/stream_kernel.hpp"
#include "kernels/timing/team.hpp"

namespace stackx::kernels {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::size_t kFallbackCache = std::size_t{32} << 20;
constexpr std::size_t kLine = 8;  // elements: no two threads write to one cache line
const std::vector<std::string> kKernels = {"copy", "scale", "add", "triad"};

std::string line_of(const fs::path& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return line;
}

// The bytes of all last-level caches of the machine, as sysfs tells them ("107520K").
std::size_t last_level_caches() {
  std::map<std::pair<int, std::string>, std::size_t> sizes;  // level, CPUs that share it
  std::error_code error;
  for (const auto& cpu : fs::directory_iterator("/sys/devices/system/cpu", error))
    for (const auto& cache : fs::directory_iterator(cpu.path() / "cache", error)) {
      const std::string level = line_of(cache.path() / "level"),
                        size = line_of(cache.path() / "size");
      if (level.empty() || size.empty()) continue;
      sizes[{std::atoi(level.c_str()), line_of(cache.path() / "shared_cpu_list")}] =
          std::strtoull(size.c_str(), nullptr, 10) << (size.back() == 'M' ? 20 : 10);
    }
  std::size_t sum = 0;
  for (const auto& [key, size] : sizes)
    if (key.first == sizes.rbegin()->first.first) sum += size;
  return sum == 0 ? kFallbackCache : sum;
}

std::size_t elements_from(Parameters& parameters) {
  if (parameters.text("elements") == "auto")
    parameters.set("elements", std::to_string(4 * last_level_caches() / sizeof(double)));
  return parameters.whole("elements", 1, std::uint64_t{1} << 40);
}

class Stream : public Operation {
 public:
  Stream(Parameters& parameters, std::optional<std::string> component)
      : component_(component.value_or("stackx-pi")),
        kernel_(static_cast<StreamKernel>(
            std::ranges::find(kKernels, parameters.one_of("kernel", kKernels)) - kKernels.begin())),
        stores_(parameters.one_of("stores", {"regular", "streaming"}) == "regular"
                    ? Stores::regular
                    : Stores::streaming),
        threads_(parameters.whole("threads", 1, 4096)),
        seed_(parameters.whole("seed", 0, ~std::uint64_t{0})),
        elements_(elements_from(parameters)) {}

  std::optional<Unsupported> load() override {
    std::vector<int> cpus = allowed_cpus();
    if (cpus.size() < threads_)
      return fmt::format("{} threads asked for, this process may use {} CPUs", threads_,
                         cpus.size());
#if !defined(__x86_64__)
    if (stores_ == Stores::streaming) return "streaming stores are written for x86-64 only";
#endif
    cpus.resize(threads_);
    team_ = std::make_unique<Team>(cpus);
    return std::nullopt;
  }

  Need need() const override {
    return {.keys = {"elements"}, .arrays = 3.0 * sizeof(double) * static_cast<double>(elements_)};
  }

  std::optional<Unsupported> prepare() override {
    for (auto* array : {&a_, &b_, &c_})
      *array = std::make_unique<Matrix>(1, elements_, Element::float64);
    const auto of = [](auto& array) { return static_cast<double*>(array->data()); };
    double *a = of(a_), *b = of(b_), *c = of(c_);
    const std::uint64_t key_b = stream_key(seed_, 0), key_c = stream_key(seed_, 1);
    work_ = [=, this](std::size_t thread) {  // first the inputs, by the thread that will use them
      const auto [begin, end] = part(thread);
      for (std::size_t i = begin; i < end; ++i) {
        a[i] = std::numeric_limits<double>::quiet_NaN();
        b[i] = stream_input(key_b, i);
        c[i] = stream_input(key_c, i);
      }
    };
    team_->run(work_);
    work_ = [this](std::size_t thread) {
      const auto [begin, end] = part(thread);
      run_stream(kernel_, stores_, kStreamScalar, arrays(begin, end));
    };
    return std::nullopt;
  }

  void call() override { team_->run(work_); }

  Check check() override {
    std::vector<Check> checks(threads_);
    const std::function<void(std::size_t)> compare = [&](std::size_t thread) {
      const auto [begin, end] = part(thread);
      checks[thread] = check_stream(kernel_, arrays(begin, end), seed_, begin);
    };
    team_->run(compare);
    return *std::ranges::max_element(checks, {}, &Check::max_relative_error);
  }

  OperationWork work() const override {
    const double n = static_cast<double>(elements_);
    return {stream_flop(kernel_) * n, stream_bytes(kernel_) * n, 1};
  }

  void describe(json& document) const override {
    document["component"] = component_;
    document["loaded"] = {{component_, STACKX_VERSION}};
  }

 private:
  std::pair<std::size_t, std::size_t> part(std::size_t thread) const {
    const std::size_t lines = (elements_ + kLine - 1) / kLine;
    const auto at = [&](std::size_t i) {
      return std::min(elements_, lines * i / threads_ * kLine);
    };
    return {at(thread), at(thread + 1)};
  }

  StreamArrays arrays(std::size_t begin, std::size_t end) const {
    const auto of = [&](const auto& array) {
      return std::span(static_cast<double*>(array->data()) + begin, end - begin);
    };
    return {of(a_), of(b_), of(c_)};
  }

  std::string component_;
  StreamKernel kernel_;
  Stores stores_;
  std::size_t threads_;
  std::uint64_t seed_;
  std::size_t elements_;
  std::unique_ptr<Matrix> a_, b_, c_;
  std::function<void(std::size_t)> work_;
  std::unique_ptr<Team> team_;  // last: its threads end before what they work on
};

json run_stream(const Pi& pi, const PiArguments& arguments, const Clock& clock) {
  if (arguments.library) throw UsageError("stream takes no --library");
  Parameters parameters(pi.parameters, arguments.words);
  Stream stream(parameters, arguments.component);
  return run_operation(pi, parameters, stream, clock);
}

}  // namespace

Pi stream_pi() {
  return {"stream", "bandwidth of main memory by a loop of STREAM, needs no library",
          with_plan_parameters(
              {{"kernel", "triad", "copy, scale, add or triad"},
               {"elements", "auto", "of an array; auto: four times the last-level caches"},
               {"stores", "regular", "regular, or streaming (past the caches)"},
               {"threads", "1", "threads, each pinned to a CPU"}}),
          run_stream};
}

}  // namespace stackx::kernels
