#include "specs/project/own_pis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "specs/error.hpp"
#include "specs/format/nearest.hpp"
#include "specs/format/text_file.hpp"

namespace stackx::specs {
namespace {

using Names = std::set<std::string>;

// kernels/: what each PI takes, beside what all take.
const std::map<std::string, Names>& own_parameters() {
  static const std::map<std::string, Names> all{
      {"matmul", {"m", "n", "k", "dtype", "result", "framework", "mode", "device", "threads", "tf32"}},
      {"conv1d",
       {"length", "kernel", "batch", "in_channels", "out_channels", "stride", "padding", "layout",
        "dtype", "framework", "mode", "device", "threads", "tf32"}},
      {"conv2d",
       {"height", "width", "kernel", "kernel_h", "kernel_w", "batch", "in_channels", "out_channels",
        "stride", "padding", "layout", "dtype", "framework", "mode", "device", "threads", "tf32"}},
      {"import", {"module", "framework"}},
      {"startup",
       {"of", "operation", "size", "cache", "dtype", "framework", "mode", "device", "threads", "tf32"}},
      {"vllm_bench",
       {"of", "model", "load_format", "input_len", "output_len", "batch", "num_prompts", "count", "dtype",
        "tensor_parallel", "enforce_eager", "cache", "warmup_iters", "extra", "framework"}},
      {"hello_world", {"items", "framework"}},
      {"train_resnet50",
       {"batch", "image_size", "classes", "depth", "width", "version", "layout", "learning_rate",
        "momentum", "num_warmup_batches", "num_batches", "display_every", "dtype", "framework",
        "mode", "device", "threads", "tf32"}},
      {"all_reduce", {"bytes", "dtype", "ranks", "reduction", "framework", "device"}},
      {"reduce_scatter", {"bytes", "dtype", "ranks", "reduction", "framework", "device"}},
      {"all_gather", {"bytes", "dtype", "ranks", "framework", "device"}},
      {"broadcast", {"bytes", "dtype", "ranks", "framework", "device"}},
      {"alltoall", {"bytes", "dtype", "ranks", "framework", "device"}},
      {"transformer",
       {"phase", "batch", "context", "tokens", "model", "layers", "width", "heads", "kv_heads",
        "feed_forward", "vocabulary", "dtype", "framework", "mode", "device", "threads", "tf32"}}};
  return all;
}
// Of stackx-pi alone; their workloads' parameters are its own, so all are passed on.
const Names& native_only() {
  static const Names all{"lstm", "gru", "softmax", "layer_norm", "attention", "transformer_ops", "stream",
                         "memory_bandwidth", "launch_latency", "transfer"};
  return all;
}
const Names& for_frameworks() {  // what only they take
  static const Names all{"framework", "mode", "device", "tf32"};
  return all;
}
// Of those above, who answers queries under load (kernels/timing/scenario.hpp, stackx_pi/scenarios): how many, and when.
const Names& scenario_parameters() {
  static const Names all{"scenario",       "latency_bound_ms", "percentile",  "target_rate",    "rate_precision",
                         "schedule_seed", "samples_per_query", "min_queries", "min_duration_ms"};
  return all;
}
bool answers_queries(const std::string& pi) {
  static const Names all{"matmul", "conv1d", "conv2d", "transformer"};
  return all.contains(pi);
}
const Names& common_parameters() {
  static const Names all{"repetitions", "mini_batch",  "min_sample_ms",
                         "warmup_ms",   "max_seconds", "seed"};
  return all;
}

}  // namespace

bool says_how_to_measure(const std::string& parameter) { return common_parameters().contains(parameter); }

bool has_pi(const std::string& name, PiKind kind) {
  static const Names python{"conv1d", "import", "startup", "train_resnet50", "transformer", "vllm_bench"};
  if (kind == PiKind::native && python.contains(name)) return false;
  return own_parameters().contains(name) || (kind == PiKind::native && native_only().contains(name));
}

namespace {

// What the PI of that name takes; nothing where a PI's parameters are not listed here.
Names all_parameters(const std::string& pi) {
  const auto own = own_parameters().find(pi);
  if (own == own_parameters().end()) return {};
  auto names = own->second;
  names.insert(common_parameters().begin(), common_parameters().end());
  if (answers_queries(pi)) names.insert(scenario_parameters().begin(), scenario_parameters().end());
  return names;
}

// "; did you mean "matmul"?" where a PI of that kind has almost that name, else "".
std::string nearest_pi(const std::string& name, PiKind kind) {
  std::vector<std::string> names(native_only().begin(), native_only().end());
  for (const auto& [pi, takes] : own_parameters()) names.push_back(pi);
  std::erase_if(names, [&](const std::string& one) { return !has_pi(one, kind); });
  return suggestion(name, names);
}

}  // namespace

void require_pi(const std::string& place, const std::string& name, bool python) {
  if (has_pi(name, PiKind::framework) || (!python && has_pi(name, PiKind::native))) return;
  const auto close = nearest_pi(name, python ? PiKind::framework : PiKind::native);
  throw bad_input(fmt::format("{}: stackx has no PI {} for {}{} measure it with a program of your own: --pi FILE (docs/own-pi.md)",
                              place, in_quotes(name), python ? "Python frameworks" : "libraries",
                              close.empty() ? ";" : close + " If not,"));
}

void require_parameters(const std::string& place, const Workload& workload) {
  auto names = all_parameters(workload.pi);
  if (names.empty()) return;
  // They stand apart from own_parameters(): `nodes` of a published shape is no wish to run on so many.
  names.insert({"workers", "exchange", "servers", "nodes"});
  for (const auto& [name, value] : workload.params)
    if (!names.contains(name))
      throw bad_input(fmt::format("{}: stackx's PI {} has no parameter {}{}; `stackx workload show {}` tells them", place, workload.pi,
                                  in_quotes(name), suggestion(name, {names.begin(), names.end()}), workload.pi));
}

bool takes_ranks(const std::string& name) {
  const auto found = own_parameters().find(name);
  return found != own_parameters().end() && found->second.contains("ranks");
}

bool takes_device(const std::string& name) {
  const auto own = own_parameters().find(name);
  return own != own_parameters().end() && own->second.contains("device");
}

std::map<std::string, std::string> pi_parameters(const Workload& workload, PiKind kind, std::vector<std::string>& left_out) {
  const auto names = all_parameters(workload.pi);
  if (names.empty()) return workload.params;
  std::map<std::string, std::string> result;
  for (const auto& [name, value] : workload.params)
    if (names.contains(name) && !(kind == PiKind::native && for_frameworks().contains(name)))
      result.emplace(name, value);
    else
      left_out.push_back(name);
  if (kind == PiKind::framework_on_gpu && names.contains("device")) result.try_emplace("device", "gpu");
  return result;
}

}  // namespace stackx::specs
