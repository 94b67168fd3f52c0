#include "advisor/published_note.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/text/words.hpp"
#include "specs/format/json.hpp"
#include "specs/format/printable.hpp"

namespace stackx::advisor {
namespace {

constexpr std::size_t most_shown = 8;

template <typename Key>
std::vector<std::pair<Key, std::size_t>> most_first(const std::map<Key, std::size_t>& counts) {
  std::vector<std::pair<Key, std::size_t>> result(counts.begin(), counts.end());
  std::ranges::stable_sort(result, std::ranges::greater(), &std::pair<Key, std::size_t>::second);
  return result;
}

using analysis::counted;

std::string source_line(const specs::Source& source, std::size_t results) {
  std::string line =
      fmt::format("  {:>6}  {}", results, specs::printable(source.title.empty() ? source.url : source.title));
  if (!source.date.empty()) line += fmt::format(", {}", specs::printable(source.date));
  if (!source.title.empty()) line += fmt::format("\n          {}", specs::printable(source.url));
  return line + '\n';
}

}  // namespace

PublishedNote published_note(const std::vector<specs::Published>& published) {
  PublishedNote note;
  std::map<std::string, std::size_t> hardware;
  std::map<specs::Source, std::size_t> sources;
  for (const auto& result : published) {
    ++note.results;
    ++hardware[result.hardware.empty() ? "hardware not stated" : result.hardware];
    ++sources[result.source];
  }
  note.hardware = most_first(hardware);
  note.sources = most_first(sources);
  return note;
}

std::string to_text(const PublishedNote& note, const std::string& workload, const std::string& hw) {
  if (note.results == 0) return "";
  std::string models;
  for (std::size_t i = 0; i < std::min(note.hardware.size(), most_shown); ++i)
    models += fmt::format("{}{}", i ? ", " : "", specs::printable(note.hardware[i].first));
  if (note.hardware.size() > most_shown) models += ", ...";
  std::string text = fmt::format("Published by others: {} of {} on {} ({}), from {}:\n",
                                 counted(note.results, "result"), specs::printable(workload), specs::printable(hw), models,
                                 counted(note.sources.size(), "source"));
  for (std::size_t i = 0; i < std::min(note.sources.size(), most_shown); ++i)
    text += source_line(note.sources[i].first, note.sources[i].second);
  if (note.sources.size() > most_shown)
    text += fmt::format("  and {} more (--json names all)\n", note.sources.size() - most_shown);
  return text;
}

nlohmann::json to_json(const PublishedNote& note) {
  auto hardware = nlohmann::json::array(), sources = nlohmann::json::array();
  for (const auto& [model, results] : note.hardware)
    hardware.push_back({{"model", model}, {"results", results}});
  for (const auto& [source, results] : note.sources) {
    auto entry = specs::to_json(source);
    entry["results"] = results;
    sources.push_back(std::move(entry));
  }
  return {{"results", note.results},
          {"hardware", std::move(hardware)},
          {"sources", std::move(sources)}};
}

}  // namespace stackx::advisor
