// What the fuzz targets of importers share: an import ends in sound results and remarks, or in an
// Error (bad_input). Every result has a finite value, an id that its reader verifies, and its source.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "importers/importer.hpp"
#include "tests/fuzz/documents.hpp"

namespace stackx::fuzz {

inline importers::Origin origin() {
  importers::Origin origin;
  origin.source.url = "https://example.org/results";
  origin.source.read = "2026-11-21";
  origin.stack.components = {{"cuda", "11.8"}};
  return origin;
}

inline void check(const importers::Imported& imported) {
  require(!imported.results.empty(), "nothing at all is an error");
  for (const auto& published : imported.results) {
    require(std::isfinite(published.value) && published.value > 0, "a value is positive and finite");
    for (const double value : published.values)
      require(std::isfinite(value), "single values are finite");
    require(published.source.url == origin().source.url, "a result has its source");
    const auto text = specs::to_json(published).dump();
    const auto again = specs::published_from(specs::Node::parse_text(text, "result"));  // or escapes
    require(again.id == published.id, "the id verifies");
  }
  for (const auto& remark : imported.remarks)
    require(!remark.empty() && specs::to_utf8(remark) == remark, "a remark is UTF-8");
}

// One file.
inline int import_file(const std::uint8_t* data, std::size_t size, const char* format) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto by_name = attempt([&] { return importers::import_text(text, "fuzz", format, origin()); });
  if (by_name) check(*by_name);
  if (const auto told = attempt([&] { return importers::import_text(text, "fuzz", "auto", origin()); }))
    check(*told);
  return 0;
}

// Files of a tree, each behind a line "==== PATH"; without such a line, one file.
inline int import_files(const std::uint8_t* data, std::size_t size, const char* format) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view mark = "==== ";
  if (!text.starts_with(mark)) return import_file(data, size, format);
  std::map<std::string, std::string> files;
  while (text.starts_with(mark)) {
    const auto line = text.substr(0, text.find('\n'));
    const auto begin = std::min(line.size() + 1, text.size());
    const auto next = text.find("\n==== ", begin);
    const auto end = next == text.npos ? text.size() : next;
    files[std::string(line.substr(mark.size()))] = text.substr(begin, end - begin);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const importers::MemoryTree tree("fuzz", std::move(files));
  const auto imported = attempt([&] { return importers::import_tree(tree, format, origin()); });
  if (imported) check(*imported);
  return 0;
}

}  // namespace stackx::fuzz
