#include "advisor/valid_space.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stackx::advisor {
namespace {

using specs::Kind;

// Later components of a stack are to agree only where the earlier ones do.
constexpr const char* by_weight[] = {"cublas", "tensorflow", "nvidia-tensorflow", "torch",
                                     "jax",    "mxnet",      "cuda",              "cudnn",
                                     "ngc",    "nccl",       "python",            "driver"};
constexpr std::size_t libraries = 6;  // the first of them: what computes

std::vector<std::string> numbers(const std::string& version) {
  std::vector<std::string> result;
  std::string digits;
  for (const char c : version + ".") {
    if (c >= '0' && c <= '9') {
      digits += c;
    } else {
      if (!digits.empty()) result.push_back(digits);
      digits.clear();
      if (c != '.' && c != '-') break;  // what follows is no release number
    }
  }
  return result;
}

// Each place outweighs all that follow (agreement() is below 2^5), and all of them how late the
// versions are. Sums stay far from the ends of Score.
specs::Score weight(std::size_t place) {
  return specs::Score(1) << (16 + 5 * (std::size(by_weight) - place));
}
constexpr specs::Score other_library = specs::Score(1) << 90;

std::size_t place_of(const std::string& component) {
  return static_cast<std::size_t>(std::ranges::find(by_weight, component) - std::begin(by_weight));
}

int order_of(Kind kind) {
  switch (kind) {
    case Kind::driver:
      return 0;
    case Kind::runtime:
      return 1;
    case Kind::package:
      return 2;
    default:
      return 3;
  }
}

// "cuda 13.0.0 needs gpu.compute_capability >=7.5,<=12.1": the clauses of the clash, the version's own
// first and then those on the hardware; the question and the hardware itself stand above.
std::string sentence(const resolver::Unsolvable& why, const std::string& component) {
  using Kinds = resolver::Clause::Kind;
  constexpr std::size_t most = 3;
  std::vector<std::pair<int, std::string>> parts;
  for (std::size_t i = 0; i < why.clash.size(); ++i) {
    const resolver::Clause clause = i < why.clauses.size() ? why.clauses[i] : resolver::Clause{};
    if (clause.kind == Kinds::asked || clause.kind == Kinds::hardware) continue;
    const bool on_hardware = clause.text.starts_with("gpu") || clause.text.starts_with("cpu");
    parts.emplace_back(clause.component == component ? 0 : on_hardware ? 1 : 2, why.clash[i]);
  }
  std::ranges::stable_sort(parts, {}, &std::pair<int, std::string>::first);
  std::string text;
  for (std::size_t i = 0; i < std::min(parts.size(), most); ++i)
    text += (i ? "; " : "") + parts[i].second;
  if (parts.size() > most) text += fmt::format("; and {} more clauses", parts.size() - most);
  return text;
}

}  // namespace

std::size_t agreement(const std::string& a, const std::string& b) {
  const auto left = numbers(a), right = numbers(b);
  const auto [x, y] = std::ranges::mismatch(left, right);
  return static_cast<std::size_t>(x - left.begin()) + (a == b ? 1 : 0);
}

ValidSpace::ValidSpace(specs::Project project, specs::Catalog catalog)
    : project_(std::move(project)),
      catalog_(std::move(catalog)),
      resolver_(std::make_unique<resolver::Resolver>(project_, catalog_)),
      count_(resolver_->count()) {}

const std::map<std::string, std::map<std::string, resolver::BigInt>>& ValidSpace::shares() const {
  if (shares_.empty()) shares_ = resolver_->shares();
  return shares_;
}

std::vector<std::string> ValidSpace::possible(const std::string& component) const {
  std::vector<std::string> result;
  for (const auto& known : resolver_->components()) {
    if (known.name != component) continue;
    for (const auto& version : known.versions)
      if (shares().at(component).at(version) > 0) result.push_back(version);
  }
  return result;
}

// Why a version cannot run on this hardware by what it needs itself, or by what every version that it
// needs of another component needs: found by looking, where it can be; "" where it cannot.
std::string ValidSpace::at_a_glance(const std::string& component, const std::string& version,
                                    int depth) const {
  const auto* entry = catalog_.find(component, version);
  if (!entry) return "";
  for (const auto& requirement : entry->requires_) {
    const auto* needed = catalog_.find(requirement.component);
    if (!needed) continue;  // virtual
    const std::string needs = fmt::format("{} {} needs {}", component, version, requirement.text());
    if (const auto here = project_.hardware.find(needed->name); here != project_.hardware.end()) {
      const auto* device = needed->find(here->second);
      if (!device || specs::holds(requirement, *device)) continue;
      const auto value = device->attributes.find(requirement.attribute);
      const bool has = value != device->attributes.end();
      const auto* text = has ? std::get_if<std::string>(&value->second) : nullptr;
      return text ? fmt::format("{}; {} has {}", needs, here->second, *text) : needs;
    }
    if (depth == 0) continue;
    std::string why;
    const bool all_out = std::ranges::all_of(needed->versions, [&](const auto& other) {
      if (!specs::holds(requirement, other)) return true;
      const auto other_why = at_a_glance(needed->name, other.version.text(), depth - 1);
      if (why.empty()) why = other_why;
      return !other_why.empty();
    });
    if (all_out && !why.empty()) return fmt::format("{}; {}", needs, why);
  }
  return "";
}

std::vector<NewestVersion> ValidSpace::newest() const {
  std::vector<std::pair<int, NewestVersion>> found;
  for (const auto& component : resolver_->components()) {
    const auto* declared = catalog_.find(component.name);
    if (!declared || order_of(declared->kind) > 2) continue;
    const auto& share = shares().at(component.name);
    NewestVersion newest{component.name, "", 0, "", ""};
    for (const auto& version : component.versions)
      if (share.at(version) > 0) {
        newest.version = version;
        newest.newer = 0;
        newest.first_out.clear();
      } else if (newest.newer++ == 0) {
        newest.first_out = version;
      }
    if (newest.newer > 0) newest.why = at_a_glance(component.name, newest.first_out, 2);
    if (newest.newer > 0 && newest.why.empty())
      if (const auto why = resolver_->explain(component.name, newest.first_out))
        newest.why = sentence(*why, component.name);
    found.emplace_back(order_of(declared->kind), std::move(newest));
  }
  std::ranges::stable_sort(found, {}, &std::pair<int, NewestVersion>::first);
  std::vector<NewestVersion> result;
  for (auto& [order, newest] : found) result.push_back(std::move(newest));
  return result;
}

std::string ValidSpace::library_of(const specs::Stack& stack) {
  for (std::size_t i = 0; i < libraries; ++i)
    if (stack.components.contains(by_weight[i])) return by_weight[i];
  return "";
}

specs::Stack ValidSpace::latest_before(const specs::Stack& stack) const {
  const auto library = library_of(stack);
  if (library.empty()) return stack;
  const auto& now = stack.components.at(library);
  const auto versions = possible(library);
  for (auto version = versions.rbegin(); version != versions.rend(); ++version)
    if (agreement(*version, now) == 0) return nearest({{{library, *version}}}).stack;
  return stack;
}

specs::Stack ValidSpace::latest_like(const specs::Stack& stack) const {
  specs::Stack named;
  if (const auto library = library_of(stack); !library.empty())
    if (const auto versions = possible(library); !versions.empty())
      named.components[library] = versions.back();
  return nearest(named).stack;
}

std::vector<std::string> ValidSpace::images_with(const specs::Stack& stack) const {
  std::vector<std::string> result;
  const auto holds_it = [&](const specs::VersionEntry& image, const std::string& name) {
    const auto version = stack.components.find(name);
    const auto* entry = version == stack.components.end() ? nullptr : catalog_.find(name, version->second);
    return entry && std::ranges::any_of(image.requires_, [&](const auto& requirement) {
             return requirement.component == name && requirement.attribute.empty() &&
                    requirement.constraint.text.starts_with("==") &&
                    specs::holds(requirement, *entry);
           });
  };
  for (const auto& component : resolver_->components()) {
    const auto* declared = catalog_.find(component.name);
    if (!declared || declared->kind != Kind::image) continue;
    for (const auto& entry : declared->versions)
      if (shares().at(component.name).at(entry.version.text()) > 0 && holds_it(entry, "cuda") &&
          (!stack.components.contains("cudnn") || holds_it(entry, "cudnn")))
        result.push_back(entry.version.text());
  }
  return result;
}

NearestStack ValidSpace::nearest(const specs::Stack& named) const {
  specs::Scores scores;
  NearestStack result;
  for (const auto& [name, version] : named.components)
    if (std::ranges::none_of(resolver_->components(), [&](const auto& c) { return c.name == name; }))
      result.unknown.push_back(name + " " + version);
  for (const auto& component : resolver_->components()) {
    const auto place = place_of(component.name);
    const auto& share = shares().at(component.name);
    specs::Score later = 0;
    for (auto v = component.versions.rbegin(); v != component.versions.rend(); ++v) {
      auto& score = scores.of[component.name][*v];
      score = -std::min(later, specs::Score(99));
      if (share.at(*v) > 0) ++later;
      const auto wanted = named.components.find(component.name);
      if (wanted != named.components.end())
        score += specs::Score(1 + agreement(wanted->second, *v)) * weight(place);
      else if (place < libraries)  // computes, but is not what was named
        score -= other_library;
    }
  }
  resolver_->best(scores, [&](const resolver::Choice& choice, specs::Score) {
    result.stack = resolver_->stack(choice);
    return false;
  });
  for (const auto& [name, version] : named.components) {
    const auto here = result.stack.components.find(name);
    const std::string text = here == result.stack.components.end() ? "" : here->second;
    if (text != version && std::ranges::find(result.unknown, name + " " + version) == result.unknown.end())
      result.differs[name] = {version, text};
  }
  return result;
}

}  // namespace stackx::advisor
