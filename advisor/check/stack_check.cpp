#include "advisor/check/stack_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/check/world/python_world.hpp"
#include "advisor/check/world/pythons.hpp"
#include "advisor/facts/frameworks.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {

AskedGpu asked_gpu(const specs::Accelerator& model, const std::string& asked) {
  return {model.name, model.title, asked, model.vendor, model.architecture, model.compute_capability, model.gfx,
          model.segment == "datacenter", model.machine, model.segment == "jetson"};
}

std::optional<Checked> check_packages(const Knowledge& knowledge, const StackPackages& packages, const std::string& python,
                                      const AskedGpu& gpu, const std::string& driver) {
  Question question;
  question.gpu = gpu;
  question.hardware = gpu.asked;
  question.driver = driver;
  if (!gpu.machine.empty()) question.machine = gpu.machine;
  question.set_python(python);
  bool any = false;
  for (const auto& [name, package] : packages) {
    const auto extras = package.extras.empty() ? "" : fmt::format("[{}]", fmt::join(package.extras, ","));
    auto dependency = specs::parse_dependency(fmt::format("{}{}=={}", name, extras, package.version));
    if (!dependency) continue;
    any = any || is_framework(dependency->name);
    if (knowledge.package(dependency->name)) question.asked.push_back({std::move(*dependency), "the stack"});
  }
  const auto& known = known_pythons();
  const bool python_known = question.python.empty() || std::ranges::find(known, question.python) != known.end();
  if (!any || question.asked.empty() || !python_known) return std::nullopt;
  return check(knowledge, question);
}

}  // namespace stackx::advisor
