#include "importers/tf_cnn_benchmarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "importers/collector.hpp"
#include "importers/software.hpp"
#include "importers/words.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::importers {
namespace {

constexpr std::string_view tf_cnn_benchmarks_tool = "tf-cnn-benchmarks";

constexpr std::array<std::string_view, 16> labels{
    "TensorFlow", "Model",       "Dataset",    "Mode",      "SingleSess",  "Batch size",
    "Devices",    "Num batches", "Num epochs", "NUMA bind", "Data format", "Layout optimizer",
    "Optimizer",  "Variables",   "AllReduce",  "Sync"};

// Without what launchers put before a line: "INFO|time|file|27| ", "[1,0]<stdout>:".
std::string_view without_prefix(std::string_view line) {
  if (line.starts_with('['))
    if (const auto end = line.find("<std"); end != line.npos && end < 16)
      line.remove_prefix(std::min(line.size(), line.find(':', end) + 1));
  int bars = 0;
  for (std::size_t i = 0; i < line.size() && bars < 4; ++i)
    if (line[i] == '|' && ++bars == 4) line.remove_prefix(i + 1), i = line.size();
  return line;
}

struct Step {
  double number = 0, rate = 0;
  std::string deviation, jitter;
};

// "10\timages/sec: 94.5 +/- 1.1 (jitter = 12.4)\t7.88"
std::optional<Step> read_step(std::string_view line) {
  const auto at = line.find("images/sec:");
  if (at == line.npos) return std::nullopt;
  const auto number = number_of(line.substr(0, at));
  const auto rest = line.substr(at + 11);
  const auto rate = leading_number(rest);
  if (!number || !rate) return std::nullopt;
  Step step{*number, *rate, "", ""};
  if (const auto plus = rest.find("+/-"); plus != rest.npos)
    if (const auto value = leading_number(rest.substr(plus + 3)))
      step.deviation = fmt::format("{}", *value);
  if (const auto jitter = rest.find("jitter ="); jitter != rest.npos)
    if (const auto value = leading_number(rest.substr(jitter + 8)))
      step.jitter = fmt::format("{}", *value);
  return step;
}

class TfCnnReader {
 public:
  TfCnnReader(const std::string& name, const Origin& origin) : collector_(name, tf_cnn_benchmarks_tool, origin) {}

  Imported read(std::string_view text) {
    std::size_t number = 0;
    for (const auto line : lines_of(text)) {
      ++number;
      take(specs::trim(without_prefix(line)).text, number);
    }
    end_of_run();
    return collector_.finish("lines \"Model: NAME\" and \"total images/sec: NUMBER\"");
  }

 private:
  void take(std::string_view line, std::size_t number) {
    if (line.starts_with("total images/sec:")) return total(line.substr(17), number);
    if (auto step = read_step(line)) {
      last_ = std::move(step);
      last_line_ = number;
      return;
    }
    if (line.ends_with("per device")) {
      if (const auto batch = leading_number(line))
        run_.header["per device"] = fmt::format("{}", *batch);
      return;
    }
    for (const auto label : labels) {
      if (!line.starts_with(label) || !line.substr(label.size()).starts_with(':')) continue;
      if (label == "TensorFlow" || (label == "Model" && run_.header.contains("Model")))
        end_of_run();
      run_.header[std::string(label)] = specs::trim(line.substr(label.size() + 1)).text;
    }
  }

  void total(std::string_view text, std::size_t number) {
    const auto place = fmt::format("line {}", number);
    if (const auto rate = number_of(text))
      add(*rate, place);
    else
      collector_.remark(
          place, fmt::format("expected a number of images/sec, found \"{}\"", one_line(text, 60)));
    last_.reset();
  }

  // What began and printed no total.
  void end_of_run() {
    if (last_) {
      collector_.remark(fmt::format("line {}", last_line_),
                        fmt::format("the run ends after step {} without its total: that step's "
                                    "mean is taken",
                                    last_->number));
      add(last_->rate, fmt::format("line {}", last_line_));
    }
    last_.reset();
    run_ = {};
  }

  void add(double rate, const std::string& place) {
    if (!run_.header.contains("Model"))
      return collector_.remark(
          place, "not imported: no line \"Model:\" before it, so nobody knows what ran");
    auto published = collector_.draft();
    describe_tf_cnn(published, run_);
    published.metric = "images_per_s";
    published.value = rate;
    published.statistic = "mean";
    if (last_) {
      detail(published, "steps", fmt::format("{}", last_->number));
      detail(published, "deviation_of_mean", last_->deviation);
      detail(published, "jitter", last_->jitter);
    }
    collector_.add(std::move(published), place);
  }

  Collector collector_;
  TfCnnRun run_;
  std::optional<Step> last_;
  std::size_t last_line_ = 0;
};

std::uint64_t count_devices(std::string_view text) {
  std::uint64_t count = 0;
  for (std::size_t at = 0; (at = text.find("pu:", at)) != text.npos; ++at) ++count;  // gpu:, cpu:
  return count;
}

}  // namespace

void describe_tf_cnn(specs::Published& published, const TfCnnRun& run) {
  const auto of = [&](const char* label) {
    const auto found = run.header.find(label);
    return found == run.header.end() ? std::string() : found->second;
  };
  const auto mode = of("Mode");  // "training", "BenchmarkMode.TRAIN", "forward-only", "evaluation"
  const bool trains = mode.empty() || holds(mode, "train") || holds(mode, "TRAIN");
  published.workload.pi = (trains ? "train_" : "infer_") + name_of(of("Model"));
  auto& params = published.workload.params;
  params["suite"] = "tf_cnn_benchmarks";
  const auto number = [&](const char* key, const std::string& text) {
    if (const auto value = leading_number(text)) params[key] = fmt::format("{}", *value);
  };
  number("batch", of("Batch size"));
  number("batch_per_device", of("per device"));
  const auto word = [&](const char* key, const char* label) {
    if (is_stated(of(label))) params[key] = value_of(of(label));
  };
  word("dataset", "Dataset");
  word("data_format", "Data format");
  word("optimizer", "Optimizer");
  word("variables", "Variables");
  if (const auto version = plain_version(of("TensorFlow")); !version.empty())
    state_version(published, "tensorflow", version);
  if (const auto devices = count_devices(of("Devices"))) published.devices = devices;
  for (const char* label : {"Mode", "Devices", "Num batches", "Num epochs", "SingleSess",
                            "NUMA bind", "Layout optimizer", "AllReduce", "Sync"})
    detail(published, name_of(label), of(label));
}

bool matches_tf_cnn_benchmarks(std::string_view text) {
  return holds(text, "images/sec:") && (holds(text, "total images/sec:") || holds(text, "jitter"));
}

Imported read_tf_cnn_benchmarks(std::string_view text, const std::string& name,
                                const Origin& origin) {
  return TfCnnReader(name, origin).read(text);
}

}  // namespace stackx::importers
