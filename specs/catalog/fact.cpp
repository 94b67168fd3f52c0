#include "specs/catalog/fact.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/format/json.hpp"
#include "specs/format/members.hpp"
#include "specs/python/pep508.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::specs {
namespace {

constexpr std::string_view pseudo[] = {"cuda", "driver", "cuda-compat"};

std::vector<std::string> words_at(const Node& node, std::string_view key) {
  const auto found = node.find(key);
  return found ? found->texts() : std::vector<std::string>{};
}

std::map<std::string, std::string> map_at(const Node& node, std::string_view key) {
  std::map<std::string, std::string> result;
  if (const auto found = node.find(key))
    for (const auto& [name, value] : found->members()) result[name] = value.scalar();
  return result;
}

std::map<std::string, std::string> ranges_at(const Node& node, std::string_view key) {
  auto ranges = map_at(node, key);
  for (const auto& [name, range] : ranges)
    if (const auto parsed = SpecifierSet::parse(range, Versioning::pep440); !parsed)
      node.at(key).at(name).fail(fmt::format("\"{}\": {}", range, parsed.error().reason));
  return ranges;
}

void read_versions(const Node& node, Fact& fact) {
  if (node.json().is_string()) {
    auto range = SpecifierSet::parse(node.text(), Versioning::pep440);
    if (!range) node.fail(fmt::format("\"{}\": {}", node.text(), range.error().reason));
    fact.range = *range;
    return;
  }
  for (const auto& item : node.items()) {
    const auto version = Version::parse(item.text(), Versioning::pep440);
    if (!version) item.fail(fmt::format("\"{}\" is no version: {}", item.text(), version.error().reason));
    fact.versions.push_back(*version);
  }
}

void read_source(const Node& node, Fact& fact) {
  if (node.json().is_string()) {
    fact.source = node.nonempty();
    return;
  }
  node.only({"url", "read", "title"});
  fact.source = node.at("url").nonempty();
  fact.date = node.at("read").nonempty();
}

// Of a build with a library for each CUDA: {"12.8": [...]}.
void read_builds_by_cuda(const Node& node, Fact& fact) {
  for (const auto& [cuda, list] : node.members()) {
    GpuBuild build = fact.built_for.value_or(GpuBuild{});
    build.cuda = cuda;
    build.cubins = read_capabilities(list);
    fact.built_for_cuda[cuda] = build;
  }
}

Fact read_fact(const Node& node) {
  node.only({"of", "versions", "extra", "machine", "built_for", "also", "requires", "beside", "drops", "compiled_beside", "prebuilt", "set_for", "through", "system", "gpu_from", "cudas", "cubins_for",
             "pythons", "machines", "glibc", "fails", "note", "instead", "instead_on", "elsewhere", "soft", "exists", "known", "source"});
  Fact fact;
  fact.file = node.file();
  fact.of = node.at("of").nonempty();
  read_versions(node.at("versions"), fact);
  fact.extra = optional_text(node, "extra");
  fact.machine = optional_text(node, "machine");
  if (const auto build = node.find("built_for")) {
    fact.built_for = read_gpu_build(*build);
    if (const auto by_cuda = build->find("cubins_for")) read_builds_by_cuda(*by_cuda, fact);
  }
  if (const auto by_cuda = node.find("cubins_for")) read_builds_by_cuda(*by_cuda, fact);
  if (const auto others = node.find("also"))
    for (const auto& [vendor, build] : others->members()) fact.also[vendor] = read_gpu_build(build);
  fact.requires_ = ranges_at(node, "requires");
  fact.beside = ranges_at(node, "beside");
  fact.drops = words_at(node, "drops");
  fact.system = map_at(node, "system");
  fact.gpu_from = words_at(node, "gpu_from");
  fact.compiled_beside = words_at(node, "compiled_beside");
  if (const auto ready = node.find("prebuilt")) {
    ready->only({"torch", "cuda", "pythons"});
    fact.prebuilt = {words_at(*ready, "torch"), words_at(*ready, "cuda"), words_at(*ready, "pythons")};
  }
  if (const auto variables = node.find("set_for"))
    for (const auto& [variable, targets] : variables->members()) fact.set_for[variable] = targets.texts();
  fact.cudas = words_at(node, "cudas");
  fact.pythons = words_at(node, "pythons");
  fact.machines = words_at(node, "machines");
  fact.glibc = optional_text(node, "glibc");
  fact.fails = optional_text(node, "fails");
  fact.note = optional_text(node, "note");
  fact.through = optional_text(node, "through");
  fact.instead = optional_text(node, "instead");
  fact.instead_on = map_at(node, "instead_on");
  fact.elsewhere = map_at(node, "elsewhere");
  if (const auto soft = node.find("soft")) fact.soft = soft->boolean();
  if (const auto exists = node.find("exists")) fact.exists = exists->text();
  fact.known = optional_text(node, "known");
  if (const auto source = node.find("source")) read_source(*source, fact);
  return fact;
}

}  // namespace

bool Fact::is_about(const Version& version) const {
  if (range) return !is_local(version.text()) && range->contains(version);
  return std::ranges::find(versions, version) != versions.end();
}

Fact Fact::for_vendor(const std::string& vendor) const {
  auto fact = *this;
  const auto found = also.find(vendor);
  if (vendor == "nvidia" || (found == also.end() && built_for_cuda.empty())) return fact;
  if (found != also.end()) {
    fact.built_for = found->second;
  } else {
    GpuBuild of_nvidia;
    of_nvidia.cuda = "any";
    for (const auto& [cuda, build] : built_for_cuda) of_nvidia.cubins.insert(of_nvidia.cubins.end(), build.cubins.begin(), build.cubins.end());
    fact.built_for = of_nvidia;
  }
  fact.built_for_cuda.clear();
  fact.cudas.clear();
  return fact;
}

std::vector<Fact> read_facts(const Node& document) {
  std::vector<Fact> facts;
  if (const auto list = document.find("facts"))
    for (const auto& item : list->items())
      if (std::ranges::find(pseudo, item.at("of").text()) == std::end(pseudo)) facts.push_back(read_fact(item));
  return facts;
}

}  // namespace stackx::specs
