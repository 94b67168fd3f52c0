#include "advisor/published_note.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/text/table.hpp"
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

std::string source_line(const specs::Source& source, std::size_t results, std::size_t width) {
  constexpr std::size_t indent = 10;
  const auto name = (source.title.empty() ? source.url : source.title) + (source.date.empty() ? "" : ", " + source.date);
  std::string line = fmt::format("  {:>6}  {}\n", results, analysis::wrap(name, indent, width));
  if (!source.title.empty()) line += std::string(indent, ' ') + specs::printable(source.url) + "\n";
  return line;
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

std::string to_text(const PublishedNote& note, const std::string& workload, const std::string& hw, std::size_t width) {
  if (note.results == 0) return "";
  std::string models;
  for (std::size_t i = 0; i < std::min(note.hardware.size(), most_shown); ++i)
    models += fmt::format("{}{}", i ? ", " : "", specs::printable(note.hardware[i].first));
  if (note.hardware.size() > most_shown) models += ", ...";
  std::string text = analysis::wrap(fmt::format("Published by others: {} of {} on {} ({}), from {}:", counted(note.results, "result"),
                                                workload, hw, models, counted(note.sources.size(), "source")), 2, width) + "\n";
  for (std::size_t i = 0; i < std::min(note.sources.size(), most_shown); ++i)
    text += source_line(note.sources[i].first, note.sources[i].second, width);
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
