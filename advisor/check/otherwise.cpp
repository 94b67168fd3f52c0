#include "advisor/check/otherwise.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/check/nearest/with_code.hpp"
#include "advisor/facts/frameworks.hpp"

namespace stackx::advisor {
namespace {

class Otherwise {
 public:
  Otherwise(const Knowledge& knowledge, const Question& question, const std::function<Checked(Question)>& ask)
      : knowledge_(knowledge), question_(question), ask_(ask) {}

  std::vector<std::string> run() {
    for (const auto& placed : question_.asked) look_at(knowledge_.real_name(placed.dependency.name));
    if (say_what_is_left()) return std::move(said_);
    if (const auto others = other_frameworks(); !others.empty())
      said_.push_back(fmt::format("what is known to run there: {}", fmt::join(others, ", ")));
    return std::move(said_);
  }

 private:
  void look_at(const std::string& name) {
    const auto& gpu = *question_.gpu;
    if (auto place = knowledge_.elsewhere(name, places_of(gpu)); !place.empty())
      said_.push_back(std::move(place));
    else if (!some_release_has_code(knowledge_, name, question_))
      said_.push_back(fmt::format("no release of {} that is known has code for {}", name, gpu_in_words(gpu)));
  }

  // torch 2.6.0 without flash-attn: the framework stays.
  bool say_what_is_left() {
    auto left = question_;
    std::vector<std::string> without, with;
    std::erase_if(left.asked, [&](const auto& placed) {
      const auto name = knowledge_.real_name(placed.dependency.name);
      const bool hopeless = !some_release_has_code(knowledge_, name, question_);
      if (hopeless) without.push_back(name);
      if (!hopeless && is_framework(name)) with.push_back(placed.dependency.text());
      return hopeless;
    });
    if (without.empty() || with.empty() || ask_(left).answer != Answer::yes) return false;
    said_.push_back(fmt::format("{} {} there without {}", fmt::join(with, ", "), with.size() == 1 ? "runs" : "run",
                                fmt::join(without, ", ")));
    return true;
  }

  bool is_asked(const std::string& name) const {
    return std::ranges::any_of(question_.asked, [&](const auto& placed) { return knowledge_.real_name(placed.dependency.name) == name; });
  }

  // On the same machine, each by itself: "torch 2.15.0", "jax[cuda12] 0.12.0".
  std::vector<std::string> other_frameworks() const {
    std::vector<std::string> found;
    if (!is_known_vendor(*question_.gpu)) return found;
    const bool serves = std::ranges::any_of(frameworks(), [&](const auto& one) { return is_server(one.name) && is_asked(one.name); });
    for (const auto& [name, role] : frameworks()) {
      const bool like_it = role == Role::computes || (role == Role::serves && serves);
      if (!like_it || is_asked(name) || !knowledge_.package(name)) continue;
      if (auto one = in_some_form(name); !one.empty()) found.push_back(std::move(one));
    }
    return found;
  }

  // "jax[cuda12] 0.12.0" for jax; what must be held back for it is named: whoever installs it without gets what does not run.
  std::string in_some_form(const std::string& name) const {
    const auto checked = ask_(instead_of(question_, {name}));
    if (checked.answer == Answer::yes) return fmt::format("{} {}", name, checked.stack.components.at(name));
    if (checked.nearest.empty()) return "";
    const auto& nearest = checked.nearest.front();
    const auto& called = nearest.changes.front().name;
    if (called.substr(0, called.find('[')) != name) return "";
    const auto there = ask_(instead_of(question_, nearest.install));
    if (there.answer != Answer::yes) return "";
    std::vector<std::string> held;
    for (const auto& one : nearest.install)
      if (!one.starts_with(name)) held.push_back(one);
    const auto with = held.empty() ? "" : fmt::format(" with {}", fmt::join(held, " and "));
    return fmt::format("{} {}{}", called, there.stack.components.at(name), with);
  }

  const Knowledge& knowledge_;
  const Question& question_;
  const std::function<Checked(Question)>& ask_;
  std::vector<std::string> said_;
};

}  // namespace

Question instead_of(const Question& question, const std::vector<std::string>& asked) {
  auto other = question;
  other.asked.clear();
  for (const auto& text : asked) other.asked.push_back(specs::read_dependency(text, "another framework"));
  other.constraints.clear();
  return other;
}

std::vector<std::string> otherwise(const Knowledge& knowledge, const Question& question, const std::function<Checked(Question)>& ask) {
  return Otherwise(knowledge, question, ask).run();
}

}  // namespace stackx::advisor
