#include "blame/asked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "blame/between/packages.hpp"
#include "blame/between/stacks.hpp"
#include "campaigns/python_project.hpp"
#include "campaigns/thoth/python.hpp"
#include "inspector/discover/python_environments.hpp"
#include "inspector/gpu_requirements.hpp"
#include "inspector/machine/host.hpp"
#include "inspector/python/interpreters.hpp"
#include "specs/catalog/report.hpp"
#include "specs/error.hpp"
#include "store/store.hpp"
#include "workspace/allowed_paths.hpp"
#include "workspace/asked/plain_program.hpp"
#include "workspace/asked/workload.hpp"
#include "workspace/load.hpp"

namespace stackx::blame {
namespace {

namespace fs = std::filesystem;

// What one printed number means, by the metric.
std::string number_of(Yardstick metric) { return metric.is_rate() ? "rate" : is_error(metric) ? "error" : "seconds"; }

class Asking {
 public:
  Asking(const BlameOptions& options, const workspace::Context& context) : options_(options), context_(context) {}

  Asked ask() {
    if (options_.pi.empty() == options_.workload.empty())
      throw bad_input("expected one of --pi COMMAND (a program of your own) and --workload NAME[:KEY=VALUE,...] (`stackx workload list`)");
    if (options_.pi.empty() && !options_.files.empty()) throw bad_input("--files: shows a directory to the program of --pi; add that");
    asked_.question.metric = options_.metric.value_or(usual_metric());
    asked_.question.settings = options_.settings;
    asked_.question.limits = options_.limits;
    read_program();  // what is not there costs no download
    if (options_.project.empty())
      read_packages();
    else
      read_stacks();
    if (asked_.between.groups.empty()) return std::move(asked_);
    name_what_measures();
    make_question();
    say_where();
    look_at_reports();
    return std::move(asked_);
  }

 private:
  Yardstick usual_metric() const {
    return !options_.pi.empty() || options_.workload.starts_with("import") ? *Yardstick::from("time") : Yardstick();
  }

  EndContext end_context(const std::string& usual_python) const {
    EndContext context;
    context.python = options_.python;
    context.usual_python = usual_python;
    context.platform = campaigns::Pythons::usual_platform();
    if (const auto store = store::default_path(context_.db); fs::exists(store)) context.store = store;
    return context;
  }

  void read_packages() {
    const auto interpreters = inspector::find_interpreters();
    const auto usual = campaigns::measured_python(options_.python);
    asked_.old_end = read_end(options_.old_end, end_context(usual));
    asked_.new_end = read_end(options_.new_end, end_context(usual));
    for (const auto* end : {&asked_.old_end, &asked_.new_end})
      for (const auto& [component, version] : end->others)
        throw bad_input(fmt::format("{}: has {} {}, which is no package: name the project whose catalogs declare it, --project FILE", end->text,
                                    component, version));
    auto& job = asked_.job.loaded;
    job.host = inspector::detect_host(context_.data_directory());
    job.device = workspace::device_of(job.host, options_.device);
    place(interpreters, usual);
    asked_.index = std::make_unique<workspace::PipIndex>(pypi::PipOptions{.python = options_.pip, .index_url = options_.index_url}, options_.offline);
    asked_.between = between_packages(asked_.old_end, asked_.new_end, **asked_.index, {asked_.old_end.python, asked_.platform});
    asked_.index->finish();
    job.catalog = asked_.between.catalog;
    for (const auto& [name, component] : images_) job.catalog.components.emplace(name, component);
  }

  // Each end's Python as it is to be had here: 3.11.2 as 3.11 where another release of it is, or an image.
  void place(const std::vector<inspector::Interpreter>& interpreters, const std::string& usual) {
    const auto images_file = context_.data_directory() / "images.json";
    const auto images = fs::exists(images_file) ? specs::load_catalog(images_file) : specs::Catalog{};
    const bool in_container = options_.limits.runner == "container";
    const campaigns::Pythons pythons(images, interpreters, options_.limits.runner, in_container);
    for (auto* end : {&asked_.old_end, &asked_.new_end}) {
      if (end->python.empty()) end->python = usual;
      auto place = pythons.serving(end->python);
      if (const auto dot = end->python.find('.', end->python.find('.') + 1); !place && dot != std::string::npos) {
        end->python.resize(dot);
        place = pythons.serving(end->python);
      }
      if (!place)
        throw bad_input(fmt::format("{}: runs on Python {}, which is not here; {}; --python X.Y takes another one", end->text, end->python,
                                    pythons.text()));
      asked_.platform = place->platform;
      if (place->image.empty()) continue;
      auto& image = images_.try_emplace("image", *images.find("image")).first->second;
      image_of_python_[end->python] = image.find(place->image)->version.text();
    }
  }

  void read_stacks() {
    specs::PythonContext overlays;
    asked_.job.loaded = workspace::load(options_.project, context_, overlays, workspace::Need::inspections, options_.device);
    auto& loaded = asked_.job.loaded;
    auto context = end_context("3.12");
    context.catalog = &loaded.catalog;
    asked_.old_end = read_end(options_.old_end, context);
    asked_.new_end = read_end(options_.new_end, context);
    for (const auto* end : {&asked_.old_end, &asked_.new_end})
      if (!end->stack) throw bad_input(fmt::format("--project: {}: expected the id of a stack of that project, which the store has", end->text));
    asked_.between = between_stacks(*asked_.old_end.stack, *asked_.new_end.stack, loaded.project, loaded.catalog);
    workspace::require_consent(loaded.catalog, false);
  }

  void read_program() {
    if (options_.pi.empty()) return;
    auto& question = asked_.question;
    question.program = workspace::plain_program(options_.pi, options_.files, number_of(question.metric));
    workspace::allow_program(*question.program);
  }

  void name_what_measures() {
    auto& question = asked_.question;
    if (question.program) {
      question.workload = campaigns::plain_workload(*question.program, options_.device);
      return;
    }
    question.workload = workspace::workload_to_measure(options_.workload, context_);
    if (!options_.project.empty()) return;
    const auto at_both = [&](const std::string& framework) {
      return has_framework(asked_.old_end, framework) && has_framework(asked_.new_end, framework);
    };
    question.workload = campaigns::told_framework(question.workload, at_both, options_.workload, "both ends have");
    question.workload = campaigns::told_device(question.workload, options_.device, [&](const auto& framework) { return has_cuda(framework); }, context_);
  }

  static bool has_framework(const End& end, const std::string& framework) {
    return std::ranges::any_of(end.packages, [&](const auto& one) { return inspector::framework_of(one.first) == framework; });
  }

  bool has_cuda(const std::string& framework) const {
    return std::ranges::all_of(std::array{&asked_.old_end, &asked_.new_end}, [&](const End* end) {
      return std::ranges::any_of(end->packages, [&](const auto& one) {
        const auto extras = end->extras.find(one.first);
        return inspector::framework_of(one.first) == framework &&
               campaigns::brings_cuda(one.first, extras == end->extras.end() ? std::set<std::string>() : extras->second, one.second);
      });
    });
  }

  void make_question() {
    auto& question = asked_.question;
    std::vector<Groups> needs;
    for (const auto& group : asked_.between.groups) needs.push_back(group.needs);
    question.lattice = Lattice(std::move(needs));
    question.stack = [between = asked_.between, images = image_of_python_](const Subset& subset) {
      auto stack = between.stack(subset);
      const auto python = stack.components.find("python");
      if (python == stack.components.end()) return stack;
      if (const auto image = images.find(python->second); image != images.end()) stack.components["image"] = image->second;
      return stack;
    };
  }

  // Where no GPU is at hand, also what is said of one that many have.
  void look_at_reports() {
    const auto& loaded = asked_.job.loaded;
    const auto& packages = asked_.new_end.packages;
    std::vector<std::string> capabilities{"", "8.0"};
    if (loaded.device) capabilities = {asked_.question.device.empty() ? "" : loaded.host.gpus.at(loaded.device->card).compute_capability};
    for (const auto& one : specs::load_reports(context_.data_directory()))
      if (std::ranges::any_of(capabilities, [&](const auto& on) { return one.concerns(packages, on) && !one.concerns(asked_.old_end.packages, on); }))
        asked_.reported.push_back(fmt::format("on a {}, {}", one.on_gpu ? "GPU" : "processor", one.about(packages.at(one.package))));
  }

  // What a GPU measures is a question about that card.
  void say_where() {
    const auto& loaded = asked_.job.loaded;
    auto& question = asked_.question;
    const auto old_stack = question.stack(question.lattice.none());
    if (!loaded.device) {
      asked_.where = "on this machine's processors: no GPU is seen here";
      return;
    }
    const auto& model = loaded.host.gpus.at(loaded.device->card).model;
    if (!inspector::uses_gpu(old_stack, question.workload, loaded.catalog)) {
      asked_.where = "on this machine's processors" + (options_.device.empty() ? fmt::format("; on its {} with --device 0", model) : "");
      return;
    }
    asked_.where = fmt::format("on the {}", model);
    question.device = loaded.device->uuid;
  }

  const BlameOptions& options_;
  const workspace::Context& context_;
  Asked asked_;
  std::map<std::string, specs::Component> images_;
  std::map<std::string, std::string> image_of_python_;
};

}  // namespace

Asked ask(const BlameOptions& options, const workspace::Context& context) { return Asking(options, context).ask(); }

}  // namespace stackx::blame
