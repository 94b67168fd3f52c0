#include "advisor/candidate/newest_candidate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>
#include <set>

#include "advisor/check/judge.hpp"
#include "advisor/check/world/python_world.hpp"
#include "advisor/check/world/pythons.hpp"
#include "advisor/facts/frameworks.hpp"
#include "advisor/facts/torch_companions.hpp"
#include "specs/catalog/driver.hpp"
#include "specs/python/wheel_target.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using specs::Fact;
using specs::GpuBuild;
using specs::PackageRelease;
using specs::Version;

constexpr std::size_t most_tries = 6;  // releases that check is asked about one by one

bool is_of_surroundings(const Change& change) { return change.name == "driver" || change.name == "python" || change.name == "index"; }

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
    const auto required = with_others();
    if (required && required->answer == Answer::yes)
      return finished(as_it_is(knowledge_, wish_.question, wish_.root, *required));
    std::size_t tries = 0;
    for (const auto& form : forms()) {
      if (tries++ >= most_tries) break;
      if (auto found = judged(form)) return finished(std::move(*found));
    }
    if (required)
      if (auto found = nearest_to(*required)) return finished(std::move(*found));
    if (tries > most_tries)
      if (auto found = by_resolver()) return finished(std::move(*found));
    if (auto found = with_another_torch()) return finished(std::move(*found));
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
      if (!knowledge_.is_seen(*package_, at->version, wish_.question.machine)) {
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
    const auto newer = specs::pep440_version(specs::public_version(left)),
               older = specs::pep440_version(specs::public_version(right));
    if (!(newer == older)) return newer > older;
    const bool local_first = !wish_.question.gpu;  // the build for processors, without gigabytes of CUDA
    if (specs::is_local(left) != specs::is_local(right)) return specs::is_local(left) == local_first;
    return a.release->version > b.release->version;
  }

  bool within(const PackageRelease& release) const {
    const auto plain = specs::pep440_version(specs::public_version(release.version.text()));
    if (release.yanked || (plain.is_prerelease() && own_.empty())) return false;
    if (!wish_.exactly.empty() && !(plain == specs::pep440_version(wish_.exactly))) return false;
    if (!is_of_its_index(release)) return false;
    if (wish_.advisories && !wish_.advisories->affecting("pypi", wish_.root, plain).empty()) return false;
    return std::ranges::all_of(own_, [&](const auto& one) {
      return one.versions.contains(specs::is_local(one.versions.text()) ? release.version : plain);
    });
  }

  // Where the user's project names one for it, its other builds are not the project's.
  bool is_of_its_index(const PackageRelease& release) const {
    const auto& pytorch = wish_.question.pytorch;
    return !pytorch || !is_of_pytorch(wish_.root) || !pytorch->is_alone_for(wish_.root) ||
           pytorch->labels_for(wish_.root).contains(specs::local_label(release.version.text()));
  }

  Fact about(const Version& version) const { return knowledge_.about(wish_.root, version, "", wish_.question.machine); }

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
    if (fact.built_for->vendor() != gpu->vendor) return false;
    if (gpu->vendor != "nvidia") return true;
    const auto reach = fact.built_for->reach(gpu->compute_capability);
    if (reach == GpuBuild::Reach::none) return false;
    const auto least = knowledge_.drivers().least(fact.built_for->cuda, reach);
    return wish_.question.driver.empty() || !wish_.question.cuda_compat.empty() || !least ||
           !(specs::pep440_version(specs::newest_of_branch(wish_.question.driver)) < specs::pep440_version(*least));
  }

  bool is_of_cuda(const Fact& fact) const {
    if (fact.built_for && !fact.built_for->cuda.empty()) return same_or_minor_of(fact.built_for->cuda, wish_.cuda);
    if (const auto system = fact.system.find("cuda"); system != fact.system.end())
      return same_or_minor_of(system->second, wish_.cuda);
    return !fact.gpu_from.empty();
  }

  // "cuda13" and "cuda12" of jax, "and-cuda" of tensorflow; "" where the package itself uses the GPU.
  std::vector<std::string> extras_of(const PackageRelease& release, const Fact& fact) const {
    for (const auto& one : own_)
      if (!one.extras.empty()) return {""};  // stay as they are
    if (!wish_.question.gpu) return {""};
    const bool by_extra = !fact.gpu_from.empty() || wish_.root == "tensorflow";
    if (!by_extra || !release.requires_) return {""};
    static const std::regex gpu_extra(R"RE(extra == ['"](and-cuda|cuda\d+|rocm\d+-local|tpu)['"])RE");
    std::set<std::string, std::greater<>> extras;
    for (const auto& requirement : *release.requires_) {
      std::smatch found;
      if (std::regex_search(requirement, found, gpu_extra)) extras.insert(found[1].str());
    }
    std::erase_if(extras, [&](const auto& extra) { return vendor_of_extra(extra) != wish_.question.gpu->vendor; });
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
    const auto all = forms();
    std::set<std::string> extras;
    for (const auto& form : all) extras.insert(form.extra);
    const auto pythons = wish_.question.python.empty() ? std::vector<std::string>{"3.12", "3.10", "3.8"} : std::vector{wish_.question.python};
    const Form* newest = nullptr;
    for (const auto& extra : extras)
      for (const auto& python : pythons)
        if (const auto* found = newest_of(all, extra, python); found && (!newest || before(*found, *newest))) newest = found;
    return newest ? judged(*newest) : std::nullopt;
  }

  // Of the forms with that extra, the one of the newest whole stack; null: there is none.
  const Form* newest_of(const std::vector<Form>& all, const std::string& extra, const std::string& python) const {
    auto question = question_with(extra, "");
    question.any_build.insert(wish_.root);
    question.known_only = true;
    auto world = python_world(knowledge_, question, python);
    const auto is_form = [&](const Form& form, const specs::Version& version) { return form.extra == extra && form.release->version == version; };
    std::erase_if(world.catalog.components.at(wish_.root).versions, [&](const auto& entry) {
      return std::ranges::none_of(all, [&](const auto& form) { return is_form(form, entry.version); });
    });
    std::ranges::stable_sort(world.order, {}, [&](const auto& name) { return name != wish_.root; });
    const auto stack = newest_stack(world.project, world.catalog, world.order);
    if (!stack || !stack->components.contains(wish_.root)) return nullptr;
    const auto version = specs::pep440_version(stack->components.at(wish_.root));
    const auto found = std::ranges::find_if(all, [&](const auto& form) { return is_form(form, version); });
    return found == all.end() ? nullptr : &*found;
  }

  // No release runs with the torch that the usual index has for it: what check calls the nearest, where its torch is a build of one of
  // PyTorch's indexes. That build is named, and so the line says which one is meant.
  std::optional<Candidate> with_another_torch() const {
    if (wish_.root == "torch" || !wish_.question.gpu || wish_.question.gpu->vendor != "nvidia" || wish_.question.pytorch) return std::nullopt;
    auto question = question_with("", own_.empty() || own_.front().versions.is_any() ? "" : own_.front().versions.text());
    question.keep = {};
    for (const auto& one : check(knowledge_, question).nearest) {
      const auto torch = one.stack.components.find("torch"), root = one.stack.components.find(wish_.root);
      const auto is_here = [&](const Change& change) { return change.name == wish_.root || change.name == "index"; };
      if (torch == one.stack.components.end() || root == one.stack.components.end() || one.indexes.size() != 1) continue;
      const auto* release = package_->find(specs::pep440_version(root->second));
      if (!release || !within(*release) || !std::ranges::all_of(one.changes, is_here)) continue;
      const auto& url = one.indexes.front();
      auto candidate = judged({release, ""}, specs::public_version(torch->second) + "+" + url.substr(url.rfind('/') + 1));
      if (candidate && (wish_.cuda.empty() || same_or_minor_of(candidate->cuda, wish_.cuda))) return candidate;
    }
    return std::nullopt;
  }

  // What an installer makes of the user's own requirements: where that runs, nothing newer fits them.
  std::optional<Checked> with_others() const {
    const bool others = wish_.question.asked.size() > own_.size();
    if (own_.empty() || !others || !wish_.cuda.empty() || !wish_.exactly.empty() || wish_.advisories) return std::nullopt;
    auto question = wish_.question;
    question.keep.machine = true;
    return check(knowledge_, question);
  }

  // The newest release of the framework that check found with the others as they are.
  std::optional<Candidate> nearest_to(const Checked& required) {
    const PackageRelease* newest = nullptr;
    for (const auto& one : required.nearest)
      for (const auto& change : one.changes)
        if (const auto* release = change.name == wish_.root ? package_->find(specs::pep440_version(change.to)) : nullptr)
          if (!newest || release->version > newest->version) newest = release;
    if (!newest) return std::nullopt;
    for (const auto& form : forms())
      if (form.release == newest) return judged(form);
    return std::nullopt;
  }

  // The user's own requirements, with the framework so.
  Question question_with(const std::string& extra, const std::string& versions) const {
    auto question = wish_.question;
    question.keep = {.machine = true, .until = wish_.root};  // the next form is what comes instead
    std::erase_if(question.asked,
                  [&](const auto& placed) { return knowledge_.real_name(placed.dependency.name) == wish_.root; });
    auto extras = own_.empty() ? std::vector<std::string>{} : own_.front().extras;
    if (!extra.empty()) extras = {extra};
    const auto text = fmt::format("{}{}{}", wish_.root, extras.empty() ? "" : fmt::format("[{}]", fmt::join(extras, ",")), versions);
    question.asked.insert(question.asked.begin(), {*specs::parse_dependency(text), "advice"});
    return question;
  }

  // `torch`: the build that is held beside it; "": which one it takes.
  std::optional<Candidate> judged(const Form& form, const std::string& torch = {}) const {
    auto question = question_with(form.extra, "==" + form.release->version.text());
    std::set<std::string> held;
    if (!torch.empty()) {
      question.asked.push_back(specs::read_dependency("torch==" + torch, "held back"));
      held.insert("torch");
    }
    auto checked = check(knowledge_, question);
    if (checked.answer == Answer::no && !checked.nearest.empty()) {
      for (const auto& change : checked.nearest.front().changes) {
        if (change.name == wish_.root || is_of_surroundings(change) || change.to.empty() || excluded(change)) return std::nullopt;
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

  // The user asks for other versions than what a change would bring.
  bool excluded(const Change& change) const {
    return std::ranges::any_of(wish_.question.asked, [&](const auto& placed) {
      return knowledge_.real_name(placed.dependency.name) == change.name &&
             !placed.dependency.versions.contains(specs::pep440_version(change.to));
    });
  }

  Candidate finished(Candidate candidate) const {
    candidate.unsure = unsure_;
    std::erase_if(candidate.unsure,
                  [&](const auto& version) { return !specs::is_newer(version, candidate.version); });
    return candidate;
  }

  const Knowledge& knowledge_;
  const Wish& wish_;
  const specs::Package* package_ = nullptr;
  std::vector<specs::Dependency> own_;  // what the user requires of it
  std::vector<std::string> unsure_;
};

}  // namespace

std::optional<Candidate> newest_candidate(const Knowledge& knowledge, const Wish& wish) {
  return Search(knowledge, wish).run();
}

}  // namespace stackx::advisor
