#include "cli/compare/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/output/print.hpp"
#include "specs/error.hpp"
#include "specs/format/nearest.hpp"
#include "specs/hardware/name.hpp"
#include "specs/result/evidence.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"
#include "workspace/seeds.hpp"

namespace stackx::cli {
namespace {

constexpr std::string_view seed_prefix = "evidence:";
constexpr std::size_t most_ids = 20;

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string name_of(const std::string& tool) {
  return tool.starts_with(seed_prefix) ? tool.substr(seed_prefix.size()) : tool;
}

// "mlperf-v0.6" names "mlperf-training-v0.6": its words stand there, in this order.
bool names_tool(const std::string& wanted, const std::string& tool) {
  if (wanted == tool || wanted == name_of(tool)) return true;
  const auto words = split_at(name_of(tool), '-');
  auto at = words.begin();
  for (const auto& word : split_at(wanted, '-')) {
    at = std::find(at, words.end(), word);
    if (at == words.end()) return false;
    ++at;
  }
  return true;
}

bool has_id(const specs::Published& p, const std::string& id) {
  for (const char* key : {"mlperf_id", "id"})
    if (const auto found = p.details.find(key); found != p.details.end() && found->second == id)
      return true;
  return id.size() >= 8 && p.id.starts_with(id);
}

std::string ids_of(const std::vector<specs::Published>& results) {
  std::set<std::string> ids;
  for (const auto& p : results)
    for (const char* key : {"mlperf_id", "id"})
      if (const auto found = p.details.find(key); found != p.details.end())
        ids.insert(found->second);
  std::string text;
  std::size_t count = 0;
  for (const auto& id : ids)
    if (count++ < most_ids) text += (text.empty() ? "" : ", ") + id;
  if (ids.size() > most_ids) text += ", ...";
  return text;
}

class PublishedSides {
 public:
  PublishedSides(const SourcesOptions& options, const Globals& globals)
      : options_(options), globals_(globals) {}

  analysis::SourceSide side(const std::string& text) {
    const auto [name, ids] = parts(text);
    auto results = globals_.names_file(name) ? from_file(name) : from_store(name);
    if (!ids.empty()) keep(results, ids, text);
    if (results.empty())
      throw bad_input(fmt::format("--source {}: no published result{}", text,
                                  options_.hw.empty() ? "" : " on " + options_.hw));
    return {text, std::move(results)};
  }

 private:
  struct Parts {
    std::string name;
    std::vector<std::string> ids;
  };
  // A file's name may hold a colon itself, and an imported tool's does ("evidence:deepbench").
  Parts parts(const std::string& text) const {
    if (globals_.names_file(text)) return {text, {}};
    const std::size_t colon = text.rfind(':');
    if (colon == text.npos || text.substr(0, colon + 1) == seed_prefix) return {text, {}};
    return {text.substr(0, colon), split_at(text.substr(colon + 1), ',')};
  }

  std::vector<specs::Published> from_file(const std::string& name) const {
    auto rows = specs::load_evidence(name).rows;
    if (!options_.hw.empty())
      std::erase_if(rows, [&](const specs::Published& p) {
        return !p.hardware.empty() && !specs::names_hardware(options_.hw, p.hardware);
      });
    return rows;
  }

  const std::vector<specs::Published>& stored() {
    if (!read_) {
      store::PublishedFilter filter;
      if (!options_.hw.empty()) filter.hardware = options_.hw;
      stored_ = workspace::open_with_seeds(globals_).published(filter);
      read_ = true;
    }
    return stored_;
  }

  std::vector<specs::Published> from_store(const std::string& name) {
    std::set<std::string> all, meant;
    for (const auto& p : stored()) {
      all.insert(p.source.tool);
      if (names_tool(name, p.source.tool)) meant.insert(p.source.tool);
    }
    const auto exact = std::ranges::find_if(
        meant, [&](const auto& tool) { return tool == name || name_of(tool) == name; });
    if (exact != meant.end()) meant = std::set<std::string>{std::string(*exact)};
    if (meant.empty()) unknown(name, all);
    if (meant.size() > 1) {
      std::string names;
      for (const auto& tool : meant) names += (names.empty() ? "" : ", ") + name_of(tool);
      throw bad_input(fmt::format("--source {}: may be any of {}; name one", name, names));
    }
    std::vector<specs::Published> results;
    for (const auto& p : stored())
      if (p.source.tool == *meant.begin()) results.push_back(p);
    return results;
  }

  [[noreturn]] void unknown(const std::string& name, const std::set<std::string>& tools) const {
    std::vector<std::string> names;
    for (const auto& tool : tools) names.push_back(name_of(tool));
    throw bad_input(fmt::format(
        "--source {}: neither a file nor a source of published results{}{}; `stackx query sources` "
        "lists them",
        name, options_.hw.empty() ? "" : " on " + options_.hw, specs::suggestion(name, names)));
  }

  static void keep(std::vector<specs::Published>& results, const std::vector<std::string>& ids,
                   const std::string& text) {
    const std::string known = ids_of(results);
    for (const auto& id : ids)
      if (std::ranges::none_of(results, [&](const auto& p) { return has_id(p, id); }))
        throw bad_input(fmt::format("--source {}: no result with the id {}{}", text, id,
                                    known.empty() ? "" : "; there are " + known));
    std::erase_if(results, [&](const specs::Published& p) {
      return std::ranges::none_of(ids, [&](const auto& id) { return has_id(p, id); });
    });
  }

  const SourcesOptions& options_;
  const Globals& globals_;
  bool read_ = false;
  std::vector<specs::Published> stored_;
};

}  // namespace

void add_source_option(Command command, SourcesOptions& options) {
  command
      .add_option("--source", options.sources,
                  "Published results side by side, given twice: EVIDENCE[:ID,...], e.g. "
                  "mlperf-v0.6:0.6-9, or a file of evidence")
      .type_name("SOURCE")
      .take_all();
}

analysis::SourceComparison compared_sources(const SourcesOptions& options, const Globals& globals) {
  if (options.sources.size() != 2)
    throw bad_input(
        fmt::format("--source stands {} time{}; two are compared: --source "
                    "mlperf-v0.6:0.6-9 --source mlperf-v0.6:0.6-18",
                    options.sources.size(), options.sources.size() == 1 ? "" : "s"));
  PublishedSides sides(options, globals);
  auto first = sides.side(options.sources[0]);
  return analysis::compare_sources(std::move(first), sides.side(options.sources[1]));
}

void compare_sources(const SourcesOptions& options, bool json, Globals& globals) {
  const auto comparison = compared_sources(options, globals);
  if (json)
    print_json(analysis::to_json(comparison));
  else
    workspace::write_out(analysis::table(comparison, stdout_is_terminal(), output_width(analysis::page_width)));
  if (comparison.pairs.empty()) globals.exit_code = 1;
}

}  // namespace stackx::cli
