#include "specs/catalog/gpu_build.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "specs/format/json.hpp"

namespace stackx::specs {
namespace {

struct Capability {
  int major = 0, minor = 0;
  auto operator<=>(const Capability&) const = default;
};

std::optional<Capability> capability(std::string_view text) {
  const auto dot = text.find('.');
  const auto number = [](std::string_view digits) -> std::optional<int> {
    if (digits.empty() || digits.size() > 3 || digits.find_first_not_of("0123456789") != digits.npos) return std::nullopt;
    return std::stoi(std::string(digits));
  };
  if (dot == text.npos) return std::nullopt;
  const auto major = number(text.substr(0, dot)), minor = number(text.substr(dot + 1));
  if (!major || !minor) return std::nullopt;
  return Capability{*major, *minor};
}

std::optional<Capability> least(const std::vector<std::string>& list) {
  std::optional<Capability> result;
  for (const auto& text : list)
    if (const auto one = capability(text); one && (!result || *one < *result)) result = one;
  return result;
}

Alternative between(const std::string& lower, const std::string& upper) {
  const auto text = upper.empty() ? ">=" + lower : fmt::format(">={},<{}", lower, upper);
  return {*SpecifierSet::parse(text, Versioning::pep440), {}};
}

}  // namespace

GpuBuild::Reach GpuBuild::reach(const std::string& compute_capability) const {
  const auto device = capability(compute_capability);
  if (!device) return Reach::none;
  for (const auto& text : cubins)
    if (const auto one = capability(text); one && one->major == device->major && one->minor <= device->minor)
      return Reach::cubin;
  if (const auto least_needed = capability(minimum); least_needed && *least_needed <= *device) return Reach::cubin;
  if (const auto oldest = least(ptx); oldest && *oldest <= *device) return Reach::ptx;
  return Reach::none;
}

Constraint GpuBuild::runs_on() const {
  Constraint result;
  std::vector<std::string> words;
  std::vector<int> majors;
  auto sorted = cubins;
  std::ranges::sort(sorted, {}, [](const auto& text) { return capability(text).value_or(Capability{}); });
  for (const auto& text : sorted) {
    const int major = capability(text)->major;
    if (std::ranges::find(majors, major) != majors.end()) continue;
    majors.push_back(major);
    result.any.push_back(between(text, fmt::format("{}", major + 1)));
    words.push_back(text.ends_with(".0") ? fmt::format("{}.x", major) : text);
  }
  if (!minimum.empty()) {
    result.any.push_back(between(minimum, ""));
    words.push_back(minimum + " and newer");
  }
  if (!ptx.empty()) {
    const auto oldest = *std::ranges::min_element(ptx, {}, [](const auto& text) { return *capability(text); });
    result.any.push_back(between(oldest, ""));
    words.push_back("by compilation from " + oldest + " on");
  }
  if (result.any.empty()) {  // no GPU has it
    result.any.push_back({*SpecifierSet::parse("<0", Versioning::pep440), {}});
    words.emplace_back("none");
  }
  result.text = fmt::format("{}", fmt::join(words, ", "));
  return result;
}

std::vector<std::string> read_capabilities(const Node& node) {
  std::vector<std::string> list;
  for (const auto& item : node.items()) {
    list.push_back(item.scalar());
    if (!capability(list.back()))
      item.fail(fmt::format("\"{}\": expected a compute capability such as 8.6", list.back()));
  }
  return list;
}

GpuBuild read_gpu_build(const Node& node) {
  node.only({"cuda", "rocm", "cubins", "ptx", "gfx", "tpu", "xpu", "neuron", "minimum", "cubins_for"});
  GpuBuild build;
  if (const auto cuda = node.find("cuda")) build.cuda = cuda->scalar();
  if (const auto rocm = node.find("rocm")) build.rocm = rocm->scalar();
  if (const auto list = node.find("cubins")) build.cubins = read_capabilities(*list);
  if (const auto list = node.find("ptx")) build.ptx = read_capabilities(*list);
  if (const auto list = node.find("gfx")) build.gfx = list->texts();
  if (const auto list = node.find("tpu")) build.tpu = list->texts();
  if (const auto list = node.find("xpu")) build.xpu = list->texts();
  if (const auto list = node.find("neuron")) build.neuron = list->texts();
  if (const auto least_one = node.find("minimum")) {
    build.minimum = least_one->scalar();
    if (!capability(build.minimum)) least_one->fail("expected a compute capability such as 8.0");
  }
  return build;
}

GpuBuild gpu_build_of(const std::string& architectures) {
  GpuBuild build;
  std::size_t begin = 0;
  while (begin < architectures.size()) {
    const auto end = std::min(architectures.find_first_of(" ,", begin), architectures.size());
    const auto word = architectures.substr(begin, end - begin);
    begin = end + 1;
    const auto underscore = word.find('_');
    if (underscore == word.npos) continue;
    auto digits = word.substr(underscore + 1);
    while (!digits.empty() && (digits.back() < '0' || digits.back() > '9')) digits.pop_back();  // sm_90a
    if (digits.size() < 2) continue;
    digits.insert(digits.size() - 1, ".");
    (word.starts_with("compute") ? build.ptx : build.cubins).push_back(digits);
  }
  return build;
}

std::optional<std::string> contradiction(const GpuBuild& stated, const Constraint& of_catalog,
                                         const std::vector<std::string>& capabilities) {
  std::vector<std::string> more, less;
  for (const auto& one : capabilities) {
    const bool runs = stated.reach(one) != GpuBuild::Reach::none;
    const bool said = holds(of_catalog, Attribute(one));
    if (runs && !said) more.push_back(one);
    if (!runs && said) less.push_back(one);
  }
  std::vector<std::string> parts;
  if (!more.empty()) parts.push_back(fmt::format("states code for {}, which the catalog denies", fmt::join(more, ", ")));
  if (!less.empty()) parts.push_back(fmt::format("states none for {}, which the catalog promises", fmt::join(less, ", ")));
  if (parts.empty()) return std::nullopt;
  return fmt::format("{}", fmt::join(parts, " and "));
}

}  // namespace stackx::specs
