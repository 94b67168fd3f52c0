#include "advisor/answer/candidate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "advisor/check/judge.hpp"
#include "advisor/check/python_world.hpp"
#include "advisor/check/pythons.hpp"
#include "specs/python/wheel_target.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using specs::Fact;
using specs::GpuBuild;
using specs::PackageRelease;
using specs::Version;
using specs::Versioning;

constexpr std::size_t most_tries = 6;  // releases that check is asked about one by one

Version version_of(const std::string& text) { return *Version::parse(text, Versioning::pep440); }

// "cu126" of 2.14.1+cu126
std::string build_name(const std::string& version) {
  const auto plus = version.find('+');
  return plus == version.npos ? "" : version.substr(plus + 1);
}

bool same_or_minor_of(const std::string& cuda, const std::string& asked) {
  return cuda == asked || cuda.starts_with(asked + ".") || asked.starts_with(cuda + ".");
}

// One way to install a release.
struct Form {
  const PackageRelease* release;
  std::string extra;
};

class Search {
 public:
  Search(const Knowledge& knowledge, const Wish& wish) : knowledge_(knowledge), wish_(wish) {
    package_ = knowledge.package(wish.root);
    for (const auto& placed : wish.question.asked)
      if (knowledge.real_name(placed.dependency.name) == wish.root) own_.push_back(placed.dependency);
  }

  std::optional<Candidate> run() {
    if (!package_) return std::nullopt;
    if (auto found = as_required()) return finished(std::move(*found));
    std::size_t tries = 0;
    for (const auto& form : forms()) {
      if (tries++ >= most_tries) break;
      if (auto found = judged(form)) return finished(std::move(*found));
    }
    if (tries > most_tries)
      if (auto found = by_resolver()) return finished(std::move(*found));
    return std::nullopt;
  }

 private:
  // Plausible ones by what the facts say of the build alone, the newest release first.
  std::vector<Form> forms() {
    std::vector<Form> forms;
    for (auto at = package_->releases.rbegin(); at != package_->releases.rend(); ++at) {
      if (!within(*at)) continue;
      const auto fact = about(at->version);
      if (!has_wheel(*at) || !plausible(fact, specs::is_local(at->version.text()))) continue;
      if (!is_seen(*at, fact)) {
        if (forms.empty()) unsure_.push_back(at->version.text());
        continue;
      }
      for (const auto& extra : extras_of(*at, fact)) forms.push_back({&*at, extra});
    }
    std::ranges::stable_sort(forms, [&](const Form& a, const Form& b) { return before(a, b); });
    return forms;
  }

  // Newer; then what the usual index serves, for a GPU; then the newer CUDA.
  bool before(const Form& a, const Form& b) const {
    const auto& left = a.release->version.text();
    const auto& right = b.release->version.text();
    const auto newer = version_of(specs::public_version(left)), older = version_of(specs::public_version(right));
    if (!(newer == older)) return newer > older;
    const bool local_first = !wish_.question.gpu;  // the build for processors, without gigabytes of CUDA
    if (specs::is_local(left) != specs::is_local(right)) return specs::is_local(left) == local_first;
    return a.release->version > b.release->version;
  }

  bool within(const PackageRelease& release) const {
    const auto plain = version_of(specs::public_version(release.version.text()));
    if (release.yanked || (plain.is_prerelease() && own_.empty())) return false;
    if (!wish_.exactly.empty() && !(plain == version_of(wish_.exactly))) return false;
    if (wish_.advisories && !wish_.advisories->affecting("pypi", wish_.root, plain).empty()) return false;
    return std::ranges::all_of(own_, [&](const auto& one) {
      return one.versions.contains(specs::is_local(one.versions.text()) ? release.version : plain);
    });
  }

  Fact about(const Version& version) const {
    return knowledge_.about(wish_.root, version, "", wish_.question.machine);
  }

  // For the Python that was asked for, or any.
  bool has_wheel(const PackageRelease& release) const {
    if (wish_.question.python.empty() || release.wheels.empty()) return true;
    const specs::Target target(wish_.question.python, "linux " + wish_.question.machine);
    return std::ranges::any_of(release.wheels, [&](const auto& tags) { return target.rank(tags).has_value(); });
  }

  bool plausible(const Fact& fact, bool local) const {
    if (!fact.fails.empty()) return false;
    const auto& gpu = wish_.question.gpu;
    if (!gpu) return !local || (fact.built_for && fact.built_for->for_cpus());
    if (!wish_.cuda.empty() && !is_of_cuda(fact)) return false;
    if (!fact.gpu_from.empty() || !fact.built_for_cuda.empty()) return true;
    if (!fact.built_for) return !is_framework(wish_.root);
    if (fact.built_for->for_cpus()) return false;
    if (!fact.built_for->gfx.empty() || !fact.built_for->rocm.empty()) return gpu->vendor == "amd";
    if (gpu->vendor != "nvidia") return false;
    const auto reach = fact.built_for->reach(gpu->compute_capability);
    if (reach == GpuBuild::Reach::none) return false;
    const auto least = knowledge_.drivers().least(fact.built_for->cuda, reach);
    return wish_.question.driver.empty() || !wish_.question.cuda_compat.empty() || !least ||
           !(version_of(wish_.question.driver) < version_of(*least));
  }

  bool is_of_cuda(const Fact& fact) const {
    if (fact.built_for && !fact.built_for->cuda.empty()) return same_or_minor_of(fact.built_for->cuda, wish_.cuda);
    if (const auto system = fact.system.find("cuda"); system != fact.system.end())
      return same_or_minor_of(system->second, wish_.cuda);
    return !fact.gpu_from.empty();
  }

  bool is_seen(const PackageRelease& release, const Fact& fact) const {
    if (fact.exists != "inferred") return true;
    const auto& text = release.version.text();
    const auto minor = specs::minor_release(specs::public_version(text)), build = build_name(text);
    return std::ranges::any_of(package_->releases, [&](const auto& other) {
      const auto& one = other.version.text();
      return build_name(one) == build && specs::minor_release(specs::public_version(one)) == minor &&
             about(other.version).exists != "inferred";
    });
  }

  // "cuda13" and "cuda12" of jax, "and-cuda" of tensorflow; "" where the package itself uses the GPU.
  std::vector<std::string> extras_of(const PackageRelease& release, const Fact& fact) const {
    for (const auto& one : own_)
      if (!one.extras.empty()) return {""};  // stay as they are
    if (!wish_.question.gpu) return {""};
    const bool by_extra = !fact.gpu_from.empty() || wish_.root == "tensorflow";
    if (!by_extra || !release.requires_) return {""};
    static const std::regex gpu_extra(R"RE(extra == ['"](and-cuda|cuda\d+|rocm\d+-local)['"])RE");
    std::set<std::string, std::greater<>> extras;
    for (const auto& requirement : *release.requires_) {
      std::smatch found;
      if (std::regex_search(requirement, found, gpu_extra)) extras.insert(found[1].str());
    }
    const bool amd = wish_.question.gpu->vendor == "amd";
    std::erase_if(extras, [&](const auto& extra) { return extra.starts_with("rocm") != amd; });
    if (!wish_.cuda.empty())
      std::erase_if(extras, [&](const auto& extra) {
        return extra.starts_with("cuda") && extra != "cuda" + specs::major_release(wish_.cuda);
      });
    std::vector<std::string> result(extras.begin(), extras.end());
    // TensorFlow also computes with the CUDA of the system.
    if (result.empty() || wish_.root == "tensorflow") result.emplace_back();
    return result;
  }

  // Where the newest ones fail for what they require: the newest that any whole stack holds.
  std::optional<Candidate> by_resolver() {
    auto question = wish_.question;
    question.any_build.insert(wish_.root);
    question.known_only = true;
    if (own_.empty()) question.asked.push_back({*specs::parse_dependency(wish_.root), "advice"});
    auto pythons = question.python.empty() ? std::vector<std::string>{"3.12", "3.10", "3.8"} : std::vector{question.python};
    const specs::PackageRelease* newest = nullptr;
    const auto all = forms();
    for (const auto& python : pythons) {
      auto world = python_world(knowledge_, question, python);
      auto& versions = world.catalog.components.at(wish_.root).versions;
      std::erase_if(versions, [&](const auto& entry) {
        return std::ranges::none_of(all, [&](const auto& form) { return form.release->version == entry.version; });
      });
      std::ranges::stable_sort(world.order, {}, [&](const auto& name) { return name != wish_.root; });
      const auto stack = newest_stack(world.project, world.catalog, world.order);
      if (!stack || !stack->components.contains(wish_.root)) continue;
      const auto* release = package_->find(version_of(stack->components.at(wish_.root)));
      if (!newest || release->version > newest->version) newest = release;
    }
    for (const auto& form : all)
      if (form.release == newest) return judged(form);
    return std::nullopt;
  }

  // What an installer makes of the user's own requirements, where that runs: nothing newer fits them.
  std::optional<Candidate> as_required() const {
    const bool others = wish_.question.asked.size() > own_.size();
    if (own_.empty() || !others || !wish_.cuda.empty() || !wish_.exactly.empty() || wish_.advisories) return std::nullopt;
    auto checked = check(knowledge_, wish_.question);
    if (checked.answer != Answer::yes) return std::nullopt;
    return as_it_is(knowledge_, wish_.question, wish_.root, std::move(checked));
  }

  // The user's own requirements with this release of the framework.
  Question question_with(const Form& form) const {
    auto question = wish_.question;
    std::erase_if(question.asked, [&](const auto& placed) {
      return knowledge_.real_name(placed.dependency.name) == wish_.root;
    });
    auto extras = own_.empty() ? std::vector<std::string>{} : own_.front().extras;
    if (!form.extra.empty()) extras = {form.extra};
    const auto text = fmt::format("{}{}=={}", wish_.root,
                                  extras.empty() ? "" : fmt::format("[{}]", fmt::join(extras, ",")),
                                  form.release->version.text());
    question.asked.insert(question.asked.begin(), {*specs::parse_dependency(text), "advice"});
    return question;
  }

  std::optional<Candidate> judged(const Form& form) const {
    auto question = question_with(form);
    auto checked = check(knowledge_, question);
    std::set<std::string> held;
    if (checked.answer == Answer::no && !checked.nearest.empty()) {
      for (const auto& change : checked.nearest.front().changes) {
        if (change.name == wish_.root || change.name == "driver" || change.name == "python" || change.to.empty())
          return std::nullopt;
        std::erase_if(question.asked, [&](const auto& placed) { return placed.dependency.name == change.name; });
        question.asked.push_back(specs::read_dependency(change.name + "==" + change.to, "held back"));
        held.insert(change.name);
      }
      checked = check(knowledge_, question);
    }
    if (checked.answer != Answer::yes) return std::nullopt;
    auto candidate = as_it_is(knowledge_, question, wish_.root, std::move(checked));
    for (auto& package : candidate.pinned.packages) package.asked = package.asked && !held.contains(package.name);
    return candidate;
  }

  Candidate finished(Candidate candidate) const {
    candidate.unsure = unsure_;
    std::erase_if(candidate.unsure, [&](const auto& version) {
      return !(version_of(specs::public_version(version)) > version_of(specs::public_version(candidate.version)));
    });
    return candidate;
  }

  const Knowledge& knowledge_;
  const Wish& wish_;
  const specs::Package* package_ = nullptr;
  std::vector<specs::Dependency> own_;  // what the user requires of it
  std::vector<std::string> unsure_;
};

std::string in_stack(const specs::Stack& stack, const std::string& name) {
  const auto found = stack.components.find(name);
  return found == stack.components.end() ? "" : found->second;
}

// nvidia-cudnn-cu12 or -cu13, whichever is there.
std::string cudnn_of(const specs::Stack& stack) {
  for (const char* suffix : {"13", "12", "11"})
    if (const auto version = in_stack(stack, fmt::format("nvidia-cudnn-cu{}", suffix)); !version.empty())
      return three_numbers(version);
  return "";
}

// ">=525.60.13,<581" -> "525.60.13"
std::string at_least(const std::string& drivers) {
  if (!drivers.starts_with(">=")) return "";
  return drivers.substr(2, drivers.find_first_of(", ") - 2);
}

std::string cuda_of(const Knowledge& knowledge, const specs::Stack& stack, const Fact& fact) {
  if (const auto toolkit = in_stack(stack, "cuda-toolkit"); !toolkit.empty()) return three_numbers(toolkit);
  const auto states = [](const Fact& one) {
    return one.built_for && !one.built_for->cuda.empty() && one.built_for->cuda != "any" && !one.built_for->for_cpus();
  };
  if (states(fact)) return fact.built_for->cuda;
  if (const auto torch = in_stack(stack, "torch"); !torch.empty())  // what vLLM and others compute with
    if (const auto of_torch = knowledge.about("torch", version_of(torch)); states(of_torch)) return of_torch.built_for->cuda;
  for (const auto& plugin : fact.gpu_from)
    if (const auto version = in_stack(stack, plugin); !version.empty()) {
      const auto build = knowledge.about(plugin, version_of(version)).built_for;
      if (build) return build->cuda;
    }
  return "";
}

// What the package's own metadata pins to one version, as far as it is in the stack.
void add_pins(const Knowledge& knowledge, const specs::Stack& stack, const std::string& name, Pinned& pinned) {
  const auto* package = knowledge.package(name);
  const auto* release = package ? package->find(version_of(in_stack(stack, name))) : nullptr;
  const auto* requirements = release ? knowledge.requirements(name, *release) : nullptr;
  if (!requirements) return;
  for (const auto& one : *requirements) {
    const auto version = in_stack(stack, one.name);
    const bool there = std::ranges::any_of(pinned.packages, [&](const auto& other) { return other.name == one.name; });
    if (version.empty() || there || is_given(one.name)) continue;
    if (version_of(version) == version_of(specs::single_version(one.versions).empty() ? "0" : specs::single_version(one.versions)))
      pinned.packages.push_back({one.name, version, {}, false, "", "", true});
  }
}

// The oldest glibc that some wheel of the release takes on that Python: "2.28".
std::string glibc_needed(const PackageRelease& release, const std::string& python, const std::string& machine) {
  for (int minor : {5, 12, 17, 24, 26, 27, 28, 31, 34, 35})
    if (const specs::Target target(python, fmt::format("manylinux_2_{}_{}", minor, machine));
        std::ranges::any_of(release.wheels, [&](const auto& tags) { return target.rank(tags).has_value(); }))
      return fmt::format("2.{}", minor);
  return "";
}

}  // namespace

std::string three_numbers(const std::string& version) {
  std::size_t at = 0;
  for (int dots = 0; at < version.size(); ++at)
    if (version[at] == '.' && ++dots == 3) break;
  return version.substr(0, at);
}

std::string Candidate::name() const { return package + " " + version; }

std::string Candidate::text() const {
  std::vector<std::string> with;
  if (!cuda.empty()) with.push_back("CUDA " + cuda);
  if (!cudnn.empty()) with.push_back("cuDNN " + cudnn);
  return with.empty() ? name() : fmt::format("{} ({})", name(), fmt::join(with, ", "));
}

std::optional<Candidate> newest_candidate(const Knowledge& knowledge, const Wish& wish) { return Search(knowledge, wish).run(); }

Candidate as_it_is(const Knowledge& knowledge, const Question& question, const std::string& root, Checked checked) {
  Candidate candidate;
  const auto& stack = checked.stack;
  candidate.package = root;
  candidate.version = in_stack(stack, root);
  if (!candidate.version.empty()) {
    const auto version = version_of(candidate.version);
    const auto fact = knowledge.about(root, version, "", question.machine);
    candidate.cuda = cuda_of(knowledge, stack, fact);
    const auto* release = knowledge.package(root) ? knowledge.package(root)->find(version) : nullptr;
    if (release) {
      candidate.released = release->uploaded;
      const auto python = specs::minor_release(in_stack(stack, "python"));
      if (!python.empty()) candidate.pinned.glibc = glibc_needed(*release, python, question.machine);
    }
  }
  if (question.driver.empty() && question.gpu && question.gpu->vendor == "nvidia") candidate.least_driver = at_least(checked.driver);
  if (question.gpu && question.gpu->vendor == "nvidia") candidate.cudnn = cudnn_of(stack);
  auto& pinned = candidate.pinned;
  pinned.python = specs::minor_release(in_stack(stack, "python"));
  pinned.pythons = checked.pythons;
  pinned.driver = checked.driver;
  for (const auto& placed : question.asked) {
    const auto name = knowledge.real_name(placed.dependency.name);
    auto version = in_stack(stack, name);
    if (version.empty()) version = specs::single_version(placed.dependency.versions);
    pinned.packages.push_back({name, version, {placed.dependency.extras.begin(), placed.dependency.extras.end()}, true,
                               build_name(version)});
    if (version.empty() && !placed.dependency.versions.is_any()) pinned.packages.back().range = placed.dependency.versions.text();
  }
  if (!candidate.version.empty()) add_pins(knowledge, stack, root, pinned);
  candidate.checked = std::move(checked);
  return candidate;
}

std::vector<DriverRow> by_driver(const Knowledge& knowledge, const Wish& wish, const Candidate& newest, std::size_t most) {
  std::vector<DriverRow> rows{{newest.least_driver, newest}};
  if (newest.least_driver.empty() || !wish.question.driver.empty() || !wish.question.gpu) return rows;
  const auto* package = knowledge.package(wish.root);
  const auto since = knowledge.drivers().since(wish.question.gpu->compute_capability);  // older ones do not know the GPU
  std::vector<Version> levels;
  for (const auto& release : package->releases) {
    const auto build = knowledge.about(wish.root, release.version, "", wish.question.machine).built_for;
    if (!build || build->cuda.empty() || build->for_cpus()) continue;
    if (const auto least = knowledge.drivers().least(build->cuda, build->reach(wish.question.gpu->compute_capability)))
      levels.push_back(std::max(version_of(*least), version_of(since.value_or("0"))));
  }
  std::ranges::sort(levels, std::ranges::greater());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  for (const auto& level : levels) {
    if (rows.size() >= most) break;
    if (!(level < version_of(rows.back().driver))) continue;
    auto older = wish;
    older.question.driver = level.text();
    auto candidate = newest_candidate(knowledge, older);
    if (candidate && candidate->version != rows.back().candidate.version) rows.push_back({level.text(), std::move(*candidate)});
  }
  return rows;
}

}  // namespace stackx::advisor
