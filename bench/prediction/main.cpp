// How far off predictions are where something was left out, beside two naive rules: tables in
// Markdown for bench/README.md, from the evidence that comes with stackx. With --measured, each
// result of one file of it beside what the rest predicts.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>

#include "analysis/prediction/held_out.hpp"
#include "analysis/prediction/rate_prediction.hpp"
#include "analysis/published/configuration.hpp"
#include "specs/result/evidence.hpp"

using namespace stackx;
using namespace stackx::analysis;

namespace {

struct Evidence {
  explicit Evidence(const std::filesystem::path& data)
      : accelerators(specs::load_accelerators(data)) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data / "evidence"))
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::ranges::sort(files);
    for (const auto& file : files)
      for (specs::Published& row : specs::load_evidence(file).rows)
        if (row.workload.pi == "matmul" || row.workload.pi == "conv2d" || row.workload.pi == "rnn")
          results.push_back(std::move(row));
    observations.add(results, accelerators);
  }

  specs::Accelerators accelerators;
  std::vector<specs::Published> results;
  Observations observations;
};

std::string cell(const Errors& errors) {
  if (errors.n == 0) return "| | ";
  return fmt::format("| {:.3f} | {:.3f} ", factor(errors.median), factor(errors.mean));
}

void print_row(const HeldOutGroup& group, const std::string& name) {
  fmt::print("| {} | {} | {:.3f} | {} {}{}{}| {:.0f} |\n", name, group.model.n,
             factor(group.model.median), group.model_beside.n, cell(group.model_beside),
             cell(group.peak_ratio), cell(group.nearest), 100 * group.coverage);
}

void print_trials(const RateModel& model, LeaveOut what) {
  const auto start = std::chrono::steady_clock::now();
  const HeldOut trials = held_out(model, what);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  fmt::print(
      "\n**{}, {} left out**: {} of {} results can be predicted; {}. ({:.0f} ms)\n\n"
      "| left out | n | model, median | n beside | model, median | mean | peak ratio, median | "
      "mean | "
      "nearest number, median | mean | coverage % "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|\n",
      model.pi(), to_string(what), trials.all.model.n, trials.rows,
      trials.refusal().empty() ? "used" : "not used: " + trials.refusal(), took.count());
  for (const HeldOutGroup& group : trials.groups) print_row(group, group.name.empty() ? "no version stated" : group.name);
  print_row(trials.all, "**all**");
}

// One line a kind of work, for trying other constants.
void print_short(const RateModel& model, LeaveOut what) {
  const HeldOut trials = held_out(model, what);
  const HeldOutGroup& all = trials.all;
  fmt::print("{} {} {:.4f} {:.4f} {:.4f} {}\n", model.pi(),
             what == LeaveOut::hardware ? "gpu" : "lib", all.model_beside.median,
             all.model_beside.mean, all.coverage, trials.better() ? "better" : "not better");
}

// "764 [676, 863]", TFLOP/s; or why there is none.
std::string predicted(Predictor& from, const Observation& measured) {
  const auto found = from.predict(*measured.workload, *measured.accelerator, *measured.stack);
  if (!found) return found.error();
  return fmt::format("{:.3g} [{:.3g}, {:.3g}]", found->rate / 1000, found->low / 1000, found->high / 1000);
}

// Each matmul of a file: predicted without the file, and without all results of that family of hardware.
void print_measured(const Evidence& evidence, const std::string& name) {
  std::vector<Observation> rest, other_hardware, measured;
  const auto tool = "evidence:" + name;
  std::map<std::string, const specs::Published*> by_id;
  for (const specs::Published& row : evidence.results) by_id[row.id] = &row;
  std::set<std::string> families;
  for (const Observation& one : evidence.observations.all)
    if (by_id.at(one.evidence)->source.tool == tool && one.workload->pi == "matmul")
      measured.push_back(one), families.insert(family_of(*one.accelerator));
  for (const Observation& one : evidence.observations.all) {
    if (by_id.at(one.evidence)->source.tool == tool) continue;
    rest.push_back(one);
    if (!families.contains(family_of(*one.accelerator))) other_hardware.push_back(one);
  }
  Predictor without_file("matmul", rest), without_hardware("matmul", other_hardware);
  fmt::print("| dtype | m | n | k | stack | measured, TFLOP/s | predicted without the file | without the hardware |\n"
             "|---|---|---|---|---|---|---|---|\n");
  for (const Observation& one : measured) {
    const auto& params = one.workload->params;
    std::string stack;
    for (const auto& [component, version] : one.stack->components)
      if (component != "driver" && component != "python") stack += (stack.empty() ? "" : ", ") + component + " " + version;
    fmt::print("| {} | {} | {} | {} | {} | {:.4g} | {} | {} |\n", params.at("dtype"), params.at("m"), params.at("n"),
               params.at("k"), stack, one.rate / 1000, predicted(without_file, one), predicted(without_hardware, one));
  }
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app("Errors of predictions with whole GPUs, library versions and shapes left out");
  std::filesystem::path data = "specs/data";
  bool short_form = false;
  app.add_option("data", data, "directory with gpus.json and evidence/")
      ->check(CLI::ExistingDirectory);
  app.add_flag("--short", short_form, "one line a kind of work");
  std::string measured;
  app.add_option("--measured", measured, "the results of evidence/matmul/NAME.json, beside what the rest predicts");
  CLI11_PARSE(app, count, arguments);
  try {
    const Evidence evidence(data);
    if (!measured.empty()) return print_measured(evidence, measured), 0;
    if (!short_form) {
      fmt::print(
          "{} results of matmul, conv2d and rnn, of which {} can be learnt from; left out:\n\n",
          evidence.results.size(), evidence.observations.all.size());
      for (const auto& [why, n] : evidence.observations.left_out) fmt::print("- {}: {}\n", n, why);
    }
    for (const char* pi : {"matmul", "conv2d", "rnn"}) {
      const RateModel model(pi, evidence.observations.all);
      for (const LeaveOut what : {LeaveOut::hardware, LeaveOut::library, LeaveOut::shape}) {
        if (!short_form) print_trials(model, what);
        if (short_form && what != LeaveOut::shape) print_short(model, what);
      }
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench-prediction: {}\n", error.what());
    return 3;
  }
}
