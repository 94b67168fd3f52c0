#include "cli/output/lock_report.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "cli/output/print.hpp"
#include "specs/error.hpp"
#include "specs/python/lock_file.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

using resolver::Choice;
using resolver::Resolver;

constexpr std::uint64_t most_ranks = 100'000;  // looked at to find the lock's

// Other than an extra (requests+security), which locks leave out.
bool is_package(const specs::Component& component) {
  return component.kind == specs::Kind::package && component.name.find('+') == std::string::npos;
}

class Report {
 public:
  Report(const workspace::Loaded& loaded, const Resolver& resolver) : loaded_(loaded), resolver_(resolver) {}

  void read(const std::filesystem::path& file, const specs::PythonContext& context) {
    std::string python = context.python;
    if (const auto* known = loaded_.catalog.find("python");
        python.empty() && known && known->versions.size() == 1)
      python = known->versions.front().version.text();
    lock_ = specs::load_lock(file, python, context.platform);
    for (const auto& [name, version] : lock_.components) {
      const auto* component = loaded_.catalog.find(name);
      const auto* entry = component ? component->find(version) : nullptr;
      if (entry)
        locked_[name] = entry->version.text();
      else
        problems_.push_back(
            component
                ? fmt::format("{}: the catalog has no {} {}", lock_.where[name], name, version)
                : fmt::format("{}: no catalog declares {}", lock_.where[name], name));
    }
  }

  // Finds the stack that agrees with the lock in most packages, and where it does not agree.
  void compare() {
    specs::Scores agreement;
    for (const auto& component : resolver_.components())
      for (const auto& version : component.versions)
        agreement.of[component.name][version] = agreement_of(component.name, version);
    resolver_.best(agreement, [&](const Choice& choice, specs::Score) {
      nearest_ = choice;
      return false;
    });
    stack_ = resolver_.stack(nearest_);
    for (const auto& [name, version] : locked_)
      if (!stack_.components.contains(name))
        problems_.push_back(
            fmt::format("{}: nothing in the project needs {} {} with the rest of the lock",
                        lock_.where[name], name, version));
      else if (stack_.components[name] != version)
        problems_.push_back(fmt::format("{}: {} {} does not go with the rest; {} {} would",
                                        lock_.where[name], name, version, name,
                                        stack_.components[name]));
    for (const auto& [name, version] : stack_.components)
      if (!locked_.contains(name) && !lock_.components.contains(name) &&
          is_package(*loaded_.catalog.find(name)))
        problems_.push_back(
            fmt::format("{}: lacks {}, which the project needs", lock_.file.string(), name));
  }

  bool valid() const { return problems_.empty(); }

  void rank(const specs::Scores& scores, std::string by) {
    ranked_by_ = std::move(by);
    std::uint64_t at = 0;
    resolver_.best(scores, [&](const Choice& choice, specs::Score score) {
      ++at;
      if (choice == nearest_) {
        rank_ = at;
        score_ = scores.text(score);
      }
      return !rank_ && at < most_ranks;
    });
  }

  void print(bool json) const {
    if (json)
      print_document();
    else if (!valid())
      print_problems();
    else
      print_rank();
  }

 private:
  int agreement_of(const std::string& name, const std::string& version) const {
    if (const auto found = locked_.find(name); found != locked_.end())
      return found->second == version ? 1 : -1;
    return is_package(*loaded_.catalog.find(name)) ? -1 : 0;
  }

  void print_document() const {
    nlohmann::json document = {{"lock", lock_.file.string()},
                               {"valid", valid()},
                               {"problems", problems_},
                               {"valid_stacks", resolver_.count().str()}};
    if (valid()) {
      document["components"] = stack_.components;
      document["id"] = stack_.id();
      document["ranked_by"] = ranked_by_;
      document["rank"] = rank_ ? nlohmann::json(*rank_) : nlohmann::json();
      if (rank_) document["score"] = nlohmann::json::parse(score_);
    }
    print_json(document);
  }

  void print_problems() const {
    print_paragraph(fmt::format("{}: not a valid stack of {}.", lock_.file.string(), loaded_.project.name));
    for (const auto& problem : problems_) print_line("- " + problem, 2);
  }

  void print_rank() const {
    auto text = fmt::format("{}: a valid stack of {}: {}", lock_.file.string(), loaded_.project.name, stack_.short_id());
    for (const auto& [name, version] : stack_.components) text += fmt::format(" {}={}", name, version);
    print_paragraph(text);
    const auto all = workspace::grouped(resolver_.count());
    print_paragraph(rank_ ? fmt::format("rank {} of {} by {}, score {}", workspace::grouped(*rank_), all, ranked_by_, score_)
                          : fmt::format("rank beyond {} of {} by {}", workspace::grouped(most_ranks), all, ranked_by_));
  }

  const workspace::Loaded& loaded_;
  const Resolver& resolver_;
  specs::Lock lock_;
  std::map<std::string, std::string> locked_;  // as the catalog writes it
  Choice nearest_;
  specs::Stack stack_;
  std::vector<std::string> problems_;
  std::string ranked_by_, score_;
  std::optional<std::uint64_t> rank_;
};

}  // namespace

bool report_lock(const workspace::Loaded& loaded, const Resolver& resolver,
                 const std::filesystem::path& lock_file, const specs::PythonContext& context,
                 const std::filesystem::path& scores, bool json) {
  Report report(loaded, resolver);
  report.read(lock_file, context);
  report.compare();
  if (report.valid()) {
    if (scores.empty())
      report.rank(resolver.lateness(), "steps behind the latest versions");
    else
      report.rank(specs::load_scores(scores, loaded.catalog), scores.string());
  }
  report.print(json);
  return report.valid();
}

}  // namespace stackx::cli
