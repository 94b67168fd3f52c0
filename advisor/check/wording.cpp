#include "advisor/check/wording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "advisor/check/check.hpp"
#include "advisor/facts/knowledge.hpp"
#include "resolver/resolver.hpp"
#include "specs/python/wheel_target.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using resolver::Clause;

// "1.13.0", "1.13.0 to 1.15.2"
std::string versions_of(const Clause& clause) {
  if (clause.versions.empty()) return "";
  if (clause.versions.size() == 1) return " " + clause.versions.front();
  return fmt::format(" {} to {}", clause.versions.front(), clause.versions.back());
}

std::string owner_of(const Clause& clause) {
  return clause.component.empty() ? "what you ask for" : package_in_words(clause.component) + versions_of(clause);
}

// "torch ==2.4.0" -> "torch"
std::string target_of(const Clause& clause) { return clause.text.substr(0, clause.text.find(' ')); }
std::string range_of(const Clause& clause) {
  const auto space = clause.text.find(' ');
  return space == clause.text.npos ? "" : clause.text.substr(space + 1);
}

class Wording {
 public:
  Wording(const PythonWorld& world, const Question& question, const Knowledge& knowledge)
      : world_(world), question_(question), knowledge_(knowledge) {}

  std::vector<std::string> of(const resolver::Unsolvable& why) const {
    std::vector<std::string> first, then;
    for (const auto& clause : why.clauses) {
      auto sentence = about_machine(clause, why);
      const bool of_history = python_demands(clause, why) > 1 && !has_wheel(clause.component);
      if (of_history && !is_newest(clause, why)) continue;  // which Pythons the first releases were for is no answer
      if (of_history && !sentence.empty()) sentence += ", nor has an older release";
      if (!sentence.empty()) (clause.component == "driver" ? then : first).push_back(sentence);
    }
    for (auto& sentence : about_pins(why)) first.push_back(std::move(sentence));
    for (const auto& clause : why.clauses)
      if (clause.kind == Clause::Kind::requirement && clause.component != "driver" &&
          target_of(clause) == "gpu.compute_capability")
        then.push_back(built_for(clause));
    first.insert(first.end(), then.begin(), then.end());
    if (first.empty()) first = why.so.empty() ? why.clash : why.so;
    for (auto& sentence : first)  // the resolver's word for what stands in the question
      if (const auto root = sentence.find(" (root)"); root != sentence.npos) sentence.replace(root, 7, " (you ask for it)");
    return first;
  }

 private:
  static bool ask_for_pythons(const Clause& one, const Clause& other) {
    return one.kind == Clause::Kind::requirement && other.kind == one.kind && one.component == other.component && !one.versions.empty() &&
           !other.versions.empty() && target_of(one) == "python" && target_of(other) == "python";
  }

  static std::ptrdiff_t python_demands(const Clause& clause, const resolver::Unsolvable& why) {
    return std::ranges::count_if(why.clauses, [&](const auto& other) { return ask_for_pythons(clause, other); });
  }

  // Of any release, for the Python that was asked for; what is built from source may run on any.
  bool has_wheel(const std::string& component) const {
    const auto* package = knowledge_.package(component);
    const specs::Target target(world_.python, "linux " + question_.machine);
    return !package || std::ranges::any_of(package->releases, [&](const auto& release) {
      return (release.wheels.empty() && release.source) ||
             std::ranges::any_of(release.wheels, [&](const auto& tags) { return target.rank(tags).has_value(); });
    });
  }

  static bool is_newest(const Clause& clause, const resolver::Unsolvable& why) {
    return std::ranges::none_of(why.clauses, [&](const auto& other) {
      return ask_for_pythons(clause, other) && specs::is_newer(other.versions.back(), clause.versions.back());
    });
  }

  std::string cuda_of(const Clause& clause) const {
    if (clause.versions.empty()) return "";
    const auto* entry = world_.catalog.find(clause.component, clause.versions.back());
    if (!entry) return "";
    const auto cuda = entry->attributes.find("cuda");
    return cuda == entry->attributes.end() ? "" : std::get<std::string>(cuda->second);
  }

  std::string gpu() const { return question_.gpu ? gpu_in_words(*question_.gpu) : "this machine"; }

  // A clause that asks something of the machine.
  std::string about_machine(const Clause& clause, const resolver::Unsolvable& why) const {
    if (clause.kind == Clause::Kind::condition) return about_condition(clause);
    if (clause.kind != Clause::Kind::requirement) return "";
    const auto target = target_of(clause);
    const auto owner = owner_of(clause);
    if (clause.component == "driver") return about_driver(clause);
    if (target == "gpu.compute_capability") return no_kernels(owner);
    if (target == "gpu") {
      const auto note = range_of(clause);
      return fmt::format("{} is built for CPUs and does not use a GPU{}", owner, note == "none" ? "" : fmt::format(" ({})", note));
    }
    if (target == "gpu.vendor")
      return fmt::format("{} is built for {}, and {} is not", owner,
                         range_of(clause) == "amd"      ? "AMD's ROCm"
                         : range_of(clause) == "google" ? "Google's TPUs"
                         : range_of(clause) == "intel"  ? "Intel's GPUs"
                         : range_of(clause) == "aws"    ? "AWS Neuron"
                                                        : "NVIDIA's CUDA",
                         gpu());
    if (target == "gpu.tpu" || target == "gpu.xpu" || target == "gpu.neuron")
      return fmt::format("{} has no code for {}; it has it for {}", owner, gpu(), range_of(clause));
    if (target == "gpu.gfx") return fmt::format("{} has no kernels for {}; it has them for {}", owner, gpu(), range_of(clause));
    if (target == "driver") return old_driver(clause, owner, why);
    if (target == "torch.cuda")
      return fmt::format("{} has libraries for CUDA {} alone, and takes that of torch, which is built for another", owner,
                         range_of(clause));
    if (target == "python")
      return fmt::format("{} has wheels for Python {}, not for {}", owner, range_of(clause), question_.release_of(world_.python));
    if (target == "glibc") return fmt::format("{} has wheels for glibc {}, and here is {}", owner, range_of(clause), question_.glibc);
    if (target == "use") return fmt::format("{} cannot be used: {}", owner, range_of(clause));
    if (target == "machine") return fmt::format("{} has {}", owner, range_of(clause));
    return "";
  }

  std::string no_kernels(const std::string& owner) const {
    constexpr std::string_view toolkit = "cuda-toolkit ";
    if (owner.starts_with(toolkit))
      return fmt::format("CUDA {} has no compiler and no libraries for {}", owner.substr(toolkit.size()), gpu());
    return fmt::format("{} has no kernels for {}", owner, gpu());
  }

  // What it is built for instead.
  std::string built_for(const Clause& clause) const {
    const auto cuda = cuda_of(clause);
    const bool library = clause.component.starts_with("nvidia-");  // for all of a major version
    return fmt::format("{} is built for {}compute capability {}", owner_of(clause),
                       cuda.empty() || cuda == "any" || library ? "" : fmt::format("CUDA {} and ", cuda), range_of(clause));
  }

  // Conditions are asked of builds that have a library for each CUDA.
  std::string about_condition(const Clause& clause) const {
    const auto at = clause.text.find("gpu.compute_capability ");
    const auto cuda_at = clause.text.find("torch.cuda ");
    if (const auto use = clause.text.find(": use "); use != clause.text.npos)  // what it works with alone
      return fmt::format("{} cannot be used: {}", owner_of(clause), clause.text.substr(use + 6));
    if (at == clause.text.npos) return "";
    if (cuda_at == clause.text.npos)  // of a catalog of the user's own
      return fmt::format("{} needs compute capability {} {}; this is {}", owner_of(clause), clause.text.substr(at + 23),
                         clause.text.substr(0, clause.text.find(": ")), gpu());
    const auto cuda = clause.text.substr(cuda_at + 11, clause.text.find(':', cuda_at) - cuda_at - 11);
    return fmt::format("the library for CUDA {} in {} has no kernels for {}, but for compute capability {}", cuda,
                       owner_of(clause), gpu(), clause.text.substr(at + 23));
  }

  std::string about_driver(const Clause& clause) const {
    const auto& capability = question_.gpu->compute_capability;
    const bool newer = range_of(clause).starts_with("newer");
    if (newer)
      if (const auto last = knowledge_.drivers().last_branch(capability))
        return fmt::format("drivers after R{} do not drive {}{}", *last, gpu(),
                           question_.driver.empty() ? "" : fmt::format("; {} is one of them", question_.driver));
    const auto& product = question_.gpu->first_driver;
    if (product.is_older(question_.driver)) return older_than_product(product);
    if (const auto since = knowledge_.drivers().since(capability, product))
      return fmt::format("{} needs driver {} or newer{}", gpu(), *since,
                         question_.driver.empty() ? "" : fmt::format("; {} does not know it", question_.driver));
    return "";
  }

  // A newer number may be an older release: 555.42.02 was made before 550.90.07.
  std::string older_than_product(const specs::FirstDriver& product) const {
    const auto own = specs::is_newer(question_.driver, product.since) ? product.in_branch_of(question_.driver) : "";
    return fmt::format("driver {} is older than the first for {}, {}{}", question_.driver, gpu(), product.since,
                       own.empty() ? "" : fmt::format("; of branch {} it is {}", specs::major_release(own), own));
  }

  std::string old_driver(const Clause& clause, const std::string& owner, const resolver::Unsolvable& why) const {
    auto least = range_of(clause);  // ">=580", ">=580, or R550 with cuda-compat 13.0"
    least = least.substr(2, least.find(',') - 2);
    const auto cuda = cuda_of(clause);
    auto sentence = fmt::format("{} is built for CUDA {}, which needs driver {} or newer", owner, cuda, least);
    const bool driver_stated = std::ranges::any_of(
        why.clauses, [](const auto& one) { return one.kind == Clause::Kind::hardware && one.text.starts_with("driver "); });
    if (driver_stated && !question_.driver.empty()) sentence += fmt::format("; {} is older", question_.driver);
    return sentence;
  }

  // Demands on one package that exclude each other.
  std::vector<std::string> about_pins(const resolver::Unsolvable& why) const {
    std::map<std::string, std::vector<const Clause*>> on;
    for (const auto& clause : why.clauses)
      if ((clause.kind == Clause::Kind::root || clause.kind == Clause::Kind::pin ||
           clause.kind == Clause::Kind::requirement) && range_of(clause) != "*")
        on[target_of(clause)].push_back(&clause);
    std::vector<std::string> sentences;
    for (const auto& [target, clauses] : on) {
      if (is_given(target.substr(0, target.find('.'))) || target.find('.') != target.npos) continue;
      if (clauses.size() < 2) {
        if (const auto missing = no_such_version(target, *clauses.front()); !missing.empty()) sentences.push_back(missing);
        continue;
      }
      std::vector<std::string> parts;
      for (const auto* clause : clauses)
        parts.push_back(clause->component.empty()
                            ? fmt::format("{} {} is asked for", package_in_words(target), range_of(*clause))
                            : fmt::format("{} needs {} {}", owner_of(*clause), package_in_words(target), range_of(*clause)));
      std::ranges::stable_sort(parts, [](const auto& a, const auto& b) {
        return a.find(" needs ") != a.npos && b.find(" needs ") == b.npos;
      });
      sentences.push_back(fmt::format("{}", fmt::join(parts, ", and ")));
    }
    return sentences;
  }

  std::string no_such_version(const std::string& target, const Clause& clause) const {
    const auto* component = world_.catalog.find(target);
    if (!component || component->open || !component->versions.empty()) return "";
    return fmt::format("{} needs {} {}, and the index has no such version", owner_of(clause), package_in_words(target),
                       range_of(clause));
  }

  const PythonWorld& world_;
  const Question& question_;
  const Knowledge& knowledge_;
};

// "jax+cuda12 0.4.31" -> "jax[cuda12] 0.4.31"; versions, which have a plus of their own, begin otherwise.
std::string with_extras(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find_first_of(" ,;()", at), text.size());
    const auto word = text.substr(at, end - at);
    result += word.empty() || !std::isalpha(static_cast<unsigned char>(word.front())) ? word : package_in_words(word);
    if (end < text.size()) result += text[end];
    at = end + 1;
  }
  return result;
}

// Of many releases that need one Python or another the newest is told.
void fold_pythons(std::vector<resolver::Reason>& reasons) {
  constexpr std::ptrdiff_t told = 3;
  const auto package_of = [](const resolver::Reason& reason) {
    const bool of_python = reason.leads_to.empty() && (reason.text.find(" needs python ") != std::string::npos ||
                                                       reason.text.find(" need python ") != std::string::npos);
    return of_python ? reason.text.substr(0, reason.text.find(' ')) : "";
  };
  std::set<std::string> packages;
  for (const auto& reason : reasons) packages.insert(package_of(reason));
  packages.erase("");
  for (const auto& package : packages) {
    const auto of_it = [&](const auto& reason) { return package_of(reason) == package; };
    if (std::ranges::count_if(reasons, of_it) <= told) continue;
    const auto newest = *std::ranges::find_if(reasons.rbegin(), reasons.rend(), of_it);
    std::erase_if(reasons, of_it);
    reasons.push_back(newest);
    reasons.push_back({fmt::format("the other releases of {} that are left need other Pythons", package), {}});
  }
}

}  // namespace

std::string package_in_words(const std::string& component) {
  const auto plus = component.find('+');
  if (plus == component.npos) return component;
  return fmt::format("{}[{}]", component.substr(0, plus), component.substr(plus + 1));
}

std::vector<std::string> reasons_in_words(const resolver::Unsolvable& why, const PythonWorld& world,
                                          const Question& question, const Knowledge& knowledge) {
  return Wording(world, question, knowledge).of(why);
}

std::vector<resolver::Reason> tree_in_words(std::vector<resolver::Reason> reasons) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"the project needs ", "you ask for "}, {"the project runs on ", "you have "}, {"gpu.compute_capability ", "compute capability "},
      {"gpu.vendor google", "a TPU"}, {"gpu.vendor aws", "Trainium or Inferentia"}, {"gpu.vendor ", "a GPU of "}, {"gpu.gfx ", "a GPU of "},
      {"gpu.tpu ", "a TPU of "}, {"gpu.xpu ", "a GPU of "}, {"gpu.neuron ", "an accelerator of "},
      {" needs use ", " cannot be used: "}, {" needs machine no wheel", " has no wheel"},
      {" needs gpu ", " does not use a GPU: "}};
  for (auto& reason : reasons) {
    if (const auto from = reason.text.find(" needs if "), use = reason.text.find(": use "); from != std::string::npos && use != std::string::npos)
      reason.text.replace(from, use + 6 - from, " cannot be used: ");
    for (const auto& [from, to] : words)
      if (const auto at = reason.text.find(from); at != std::string::npos) reason.text.replace(at, from.size(), to);
    reason.text = with_extras(reason.text);
    reason.leads_to = tree_in_words(std::move(reason.leads_to));
  }
  fold_pythons(reasons);
  return reasons;
}

std::string on_another_python(const Checked& checked, const Nearest& nearest) {
  const auto python = nearest.stack.components.find("python");
  if (python == nearest.stack.components.end()) return "";
  const auto series = specs::minor_release(python->second);
  const auto changes_it = [](const auto& change) { return change.name == "python"; };
  if (std::ranges::find(checked.pythons, series) != checked.pythons.end() || std::ranges::any_of(nearest.changes, changes_it)) return "";
  return ", on Python " + series;
}

std::string Nearest::changes_text() const {
  std::vector<std::string> texts;
  for (const auto& change : changes)
    texts.push_back(change.name == "index" ? change.from.empty() ? (changes.size() == 1 ? "the same with " : "with ") + change.to : change.to + " instead of " + change.from
                    : fmt::format("{} {}{}", change.name == "python" ? "Python" : change.name, change.to,
                                change.from.empty() ? "" : " instead of " + change.from));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace stackx::advisor
