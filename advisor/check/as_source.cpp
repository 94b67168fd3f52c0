#include "advisor/check/as_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/check/world/demands.hpp"
#include "specs/python/build_index.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using specs::Fact;
using specs::Prebuilt;

bool among(const std::vector<std::string>& all, const std::string& one) { return std::ranges::find(all, one) != all.end(); }

// "2.4 to 2.8"
std::string span_of(const std::vector<std::string>& all) {
  return all.size() < 2 ? fmt::format("{}", fmt::join(all, "")) : fmt::format("{} to {}", all.front(), all.back());
}

// What a ready binary must fit.
struct Place {
  std::string torch, cuda, python;  // "2.5", "12", "3.12"; "": not known
};

class Compiled {
 public:
  Compiled(const Knowledge& knowledge, const Question& question, const specs::Stack& stack, const std::string& name)
      : knowledge_(knowledge), question_(question), name_(name), version_(stack.components.at(name)) {
    const auto torch = stack.components.find("torch");
    if (torch == stack.components.end()) return;
    place_.torch = specs::minor_release(specs::public_version(torch->second));
    const auto build = about("torch", torch->second).built_for;
    if (build && build->vendor() == "nvidia") place_.cuda = specs::major_release(build->cuda);
  }

  std::vector<std::string> sentences(const std::string& python) {
    place_.python = python;
    const auto fact = about(name_, version_);
    std::vector<std::string> said{has_ready(fact.prebuilt) ? downloaded(fact) : compiled(fact)};
    if (auto one = newest_ready(fact); !one.empty()) said.push_back(std::move(one));
    for (const auto& [variable, targets] : fact.set_for)
      if (question_.gpu && among(targets, question_.gpu->gfx))
        said.push_back(fmt::format("on {} it needs {} set, when it is installed and when it runs", gpu_in_words(*question_.gpu), variable));
    return said;
  }

 private:
  Fact about(const std::string& name, const std::string& version) const {
    return fact_for(knowledge_, name, specs::pep440_version(version), question_);
  }

  bool for_nvidia() const { return question_.gpu && question_.gpu->vendor == "nvidia"; }

  bool has_ready(const std::optional<Prebuilt>& ready) const {
    return ready && for_nvidia() && among(ready->torch, place_.torch) && among(ready->cuda, place_.cuda) && among(ready->pythons, place_.python);
  }

  // pip hides from a build what it needs, unless told otherwise.
  static std::string install_first(const Fact& fact) {
    return fact.compiled_beside.empty()
               ? ""
               : fmt::format("install {} first, then it with --no-build-isolation", fmt::join(fact.compiled_beside, ", "));
  }

  std::string downloaded(const Fact& fact) const {
    const auto first = install_first(fact);
    return fmt::format("{} {} is a source archive whose build downloads a ready wheel, of its releases on GitHub, for torch {}, CUDA {} and Python {}{}",
                       name_, version_, place_.torch, place_.cuda, place_.python, first.empty() ? "" : ": " + first);
  }

  std::string compiled(const Fact& fact) const {
    auto text = fmt::format("{} {} is built here from its source archive", name_, version_);
    if (const auto first = install_first(fact); !first.empty())
      text += fmt::format(": {}, where the compiler of CUDA (nvcc) or ROCm (hipcc) is", first);
    if (fact.prebuilt && for_nvidia())
      text += fmt::format("; its build downloads a ready wheel only for torch {}, CUDA {} and Python {}", span_of(fact.prebuilt->torch),
                          fmt::join(fact.prebuilt->cuda, " or "), span_of(fact.prebuilt->pythons));
    return text;
  }

  // Another release, where that need not be compiled and this one must.
  std::string newest_ready(const Fact& fact) const {
    const auto* package = knowledge_.package(name_);
    if (!package || place_.torch.empty() || has_ready(fact.prebuilt)) return "";
    for (auto one = package->releases.rbegin(); one != package->releases.rend(); ++one)
      if (const auto& version = one->version.text(); version != version_ && !one->yanked && has_ready(about(name_, version).prebuilt))
        return fmt::format("the newest {} known to have a ready wheel for torch {}, CUDA {} and Python {} is {}", name_, place_.torch,
                           place_.cuda, place_.python, version);
    return "";
  }

  const Knowledge& knowledge_;
  const Question& question_;
  std::string name_, version_;
  Place place_;
};

}  // namespace

std::vector<std::string> how_it_is_compiled(const Knowledge& knowledge, const Question& question, const specs::Stack& stack,
                                            const std::string& name, const std::string& python) {
  return Compiled(knowledge, question, stack, name).sentences(python);
}

std::string unread_archive(const Knowledge& knowledge, const Question& question, const PythonWorld& world, const specs::Stack& chosen) {
  for (const auto& placed : question.asked) {
    const auto name = knowledge.real_name(placed.dependency.name);
    const auto at = chosen.components.find(name);
    if (at == chosen.components.end() || !world.built_here.contains(name) || !world.unread.contains(name + " " + at->second)) continue;
    if (knowledge.about(name, specs::pep440_version(at->second)).gpu_from.empty()) return name;  // what plugins drive is pure Python
  }
  return "";
}

std::string undecided_by_archive(const Knowledge& knowledge, const Question& question, const PythonWorld& world, const specs::Stack& chosen) {
  const auto name = question.gpu ? unread_archive(knowledge, question, world, chosen) : "";
  if (name.empty() || !knowledge.is_told_of(name)) return "";
  const auto& version = chosen.components.at(name);
  const auto fact = fact_for(knowledge, name, specs::pep440_version(version), question);
  if (fact.built_for || !fact.built_for_cuda.empty()) return "";
  return fmt::format("what {} {} requires is not known here, so whether it runs with the rest is not, either", name, version);
}

std::optional<Unlisted> told_of_unlisted(const Knowledge& knowledge, const Question& question) {
  for (const auto& placed : question.asked) {
    const auto name = knowledge.real_name(placed.dependency.name);
    const auto fact = knowledge.about(name, specs::pep440_version("0"));
    const bool says_what_it_is = !fact.instead.empty() || !fact.through.empty() || !knowledge.package(name);  // else a remark
    if (!fact.note.empty() && says_what_it_is) return Unlisted{name, fmt::format("{} is {}", name, fact.note), fact.instead};
  }
  return std::nullopt;
}

std::vector<std::string> unseen_builds(const Knowledge& knowledge, const Question& question, const specs::Stack& chosen) {
  std::vector<std::string> notes;
  for (const auto& [name, version] : chosen.components) {
    const auto* package = is_given(name) || !specs::is_local(version) ? nullptr : knowledge.package(name);
    if (package && !knowledge.is_seen(*package, specs::pep440_version(version), question.machine))
      notes.push_back(fmt::format("that there is a {} {} is concluded from the releases before it; nobody here has seen it", name, version));
  }
  return notes;
}

std::string where_jaxlib_is(const specs::Stack& stack) {
  const auto jaxlib = stack.components.find("jaxlib");
  const auto page = jaxlib == stack.components.end() ? "" : specs::links_page("jaxlib", "", jaxlib->second);
  return page.empty() ? "" : fmt::format("jaxlib {} is not on the package index: pip finds it with -f {}", jaxlib->second, page);
}

}  // namespace stackx::advisor
