#include "cli/hw/drivers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "advisor/check/asked.hpp"
#include "advisor/check/stack_check.hpp"
#include "advisor/facts/cuda_drivers.hpp"
#include "advisor/facts/knowledge.hpp"
#include "analysis/text/table.hpp"
#include "cli/output/print.hpp"
#include "specs/catalog/driver.hpp"
#include "specs/error.hpp"
#include "specs/format/listed.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/hardware/several_names.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {
namespace {

struct DriversOptions {
  std::vector<std::string> gpus;
  std::string driver;
};

// Each once: "v100", "l40s,b200".
std::vector<std::string> names_in(const std::vector<std::string>& words, const specs::Accelerators& accelerators) {
  std::vector<std::string> names;
  for (const auto& word : words) {
    auto several = specs::several_names(word, accelerators);
    if (several.empty()) several = {word};
    for (auto& name : several)
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

// What was asked about.
struct Asked {
  std::vector<advisor::DriverSpan> spans;
  std::vector<std::string> left_out;  // names of other vendors' accelerators

  std::string left_out_text() const {
    return fmt::format("{} {} not of NVIDIA; which drivers other vendors' accelerators need is not known here", specs::listed(left_out),
                       left_out.size() == 1 ? "is" : "are");
  }
};

const specs::Accelerator& accelerator(const specs::Accelerators& accelerators, const std::string& name) {
  const auto models = accelerators.named(name);
  if (models.empty()) {
    const auto near = accelerators.nearest(name);
    throw bad_input(fmt::format("no GPU is called \"{}\"; {}", name,
                                near.empty() ? "`stackx hw list` shows the known ones" : fmt::format("did you mean {}?", fmt::join(near, ", "))));
  }
  return *models.front();
}

// The GPUs of a cluster may be of several vendors: NVIDIA's have an answer all the same.
Asked read(const std::vector<std::string>& words, const specs::Accelerators& accelerators, const specs::DriverFacts& drivers) {
  Asked asked;
  for (const auto& name : names_in(words, accelerators)) {
    const auto& model = accelerator(accelerators, name);
    if (model.vendor != "nvidia") {
      asked.left_out.push_back(advisor::as_written(name));
      continue;
    }
    const auto gpu = advisor::asked_gpu(model, name);
    asked.spans.push_back(advisor::driver_span(drivers, advisor::as_written(name), gpu.compute_capability, accelerators.first_driver(name)));
    asked.spans.back().data_center = gpu.data_center;
  }
  if (asked.spans.empty()) throw bad_input(asked.left_out_text());
  return asked;
}

nlohmann::json to_json(const advisor::DriverSpan& span) {
  nlohmann::json json = {{"since", nullptr}, {"last_branch", nullptr}};
  if (!span.gpu.empty()) json["gpu"] = span.gpu;
  if (!span.compute_capability.empty()) json["compute_capability"] = span.compute_capability;
  if (!span.since.empty()) json["since"] = span.since;
  if (!span.last_branch.empty()) json["last_branch"] = span.last_branch;
  return json;
}

void print_json_of(const advisor::DriverAnswer& answer, const Asked& asked, const std::vector<std::string>& cuda) {
  const auto& spans = asked.spans;
  nlohmann::json document = {{"text", answer.text}, {"drives_all", nullptr}, {"gpus", nlohmann::json::array()}, {"all", nullptr}, {"cuda", cuda}, {"left_out", asked.left_out}};
  if (answer.drives_all == false || (answer.drives_all && asked.left_out.empty())) document["drives_all"] = *answer.drives_all;
  for (const auto& span : spans) document["gpus"].push_back(to_json(span));
  const bool known = asked.left_out.empty() && std::ranges::none_of(spans, [](const auto& span) { return span.since.empty(); });
  if (const auto common = known ? advisor::common_span(spans) : std::nullopt) document["all"] = to_json(*common);
  print_json(document);
}

void run(const DriversOptions& options, Globals& globals) {
  const auto accelerators = specs::load_accelerators(globals.data_directory());
  const auto knowledge = advisor::load_knowledge(globals, {});
  advisor::check_driver(knowledge.drivers(), options.driver);
  const auto asked = read(options.gpus, accelerators, knowledge.drivers());
  const auto& spans = asked.spans;
  const auto answer = advisor::driver_answer(spans, options.driver);
  const auto cuda = advisor::drivers_of_cuda(knowledge, spans);
  if (answer.drives_all == false) globals.exit_code = 1;
  if (globals.json) return print_json_of(answer, asked, cuda);
  const auto or_none = [](const std::string& text) { return text.empty() ? "-" : text; };
  print_paragraph(answer.text);
  if (!asked.left_out.empty()) print_paragraph("Left out: " + asked.left_out_text() + ".");
  std::vector<std::vector<std::string>> rows;
  for (const auto& span : spans) rows.push_back({span.gpu, span.compute_capability, or_none(span.since), or_none(span.last_branch)});
  print_table({{"GPU"}, {"capability", true}, {"first driver", true}, {"last branch", true}}, rows);
  for (const auto& one : cuda) print_paragraph(one);
}

}  // namespace

void add_hw_drivers(Command hw, Globals& globals) {
  auto options = std::make_shared<DriversOptions>();
  const auto command = hw.add_subcommand("drivers", "Which of NVIDIA's drivers drive these GPUs, all of them");
  command.describe({"The first driver that drives a GPU is the first that names the product, as far as NVIDIA's lists were read (from 2022 on), else that of the "
                    "first CUDA that has code for it.",
                    {{"One driver for a cluster of several GPUs", "stackx hw drivers v100 a100 b200"},
                     {"Whether the driver that is there drives them", "stackx hw drivers v100 b200 --driver 535.183.01"}}});
  command.add_option("gpu", options->gpus, "GPUs of NVIDIA, as in `stackx hw list`").type_name("MODEL").required();
  command.add_option("--driver", options->driver, "NVIDIA's driver: 535.183.01").type_name("VERSION");
  command.callback([options, &globals] { run(*options, globals); });
}

}  // namespace stackx::cli
