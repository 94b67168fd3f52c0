#include "specs/catalog/advisory.hpp"

#include <algorithm>
#include <set>

#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "specs/python/pep508.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

std::pair<std::string, std::string> key(std::string_view ecosystem, const std::string& name) {
  const auto base = lowered(ecosystem.substr(0, ecosystem.find(':')));
  return {base, base == "pypi" ? normalized_name(name) : name};
}

// One JSON document a line: the first line is a whole one, and there are more.
bool is_lines(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos || text[begin] != '{') return false;
  const auto end = text.find('\n', begin);
  if (end == text.npos || text.find_first_not_of(" \t\r\n", end) == text.npos) return false;
  return Json::accept(text.substr(begin, end - begin));
}

}  // namespace

Advisories Advisories::load(const std::filesystem::path& file) {
  return parse(read_text_file(file, "a file of advisories"), file.string());
}

Advisories Advisories::parse(std::string_view text, const std::string& name) {
  Advisories result;
  if (!is_lines(text)) {
    const auto document = Node::parse_text(text, name);
    if (document.json().is_array())
      for (const auto& item : document.items()) result.read(item);
    else
      result.read(document);
    return result;
  }
  for (std::size_t line = 1; !text.empty(); ++line) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (one.find_first_not_of(" \t\r") != one.npos)
      result.read(Node::parse_text(one, name + ":" + std::to_string(line)));
  }
  return result;
}

void Advisories::read(const Node& document) {
  const auto id = document.at("id").nonempty();
  if (const auto withdrawn = document.find("withdrawn")) {
    withdrawn->nonempty();
    ++withdrawn_;
    return;
  }
  ++size_;
  if (const auto affected = document.find("affected"))
    for (const auto& item : affected->items()) read_affected(item, id);
}

void Advisories::read_affected(const Node& node, const std::string& id) {
  const auto package = node.find("package");
  Affected affected{id, {}, {}};
  if (const auto versions = node.find("versions")) affected.versions = versions->texts();
  if (const auto ranges = node.find("ranges"))
    for (const auto& range : ranges->items()) {
      const auto type = range.at("type").text();
      if (type == "ECOSYSTEM" || type == "SEMVER")
        affected.ranges.push_back(read_range(range.at("events")));
      else if (type != "GIT")
        range.at("type").fail("expected ECOSYSTEM, SEMVER or GIT");
    }
  if (!package) return;  // of commits of a repository only
  const auto name = package->at("name").nonempty();
  affected_[key(package->at("ecosystem").nonempty(), name)].push_back(std::move(affected));
}

Advisories::Range Advisories::read_range(const Node& events) {
  const std::pair<const char*, Event> kinds[] = {{"introduced", Event::introduced},
                                                 {"fixed", Event::fixed},
                                                 {"last_affected", Event::last_affected},
                                                 {"limit", Event::limit}};
  Range range;
  for (const auto& event : events.items()) {
    const auto before = range.size();
    for (const auto& [name, kind] : kinds)
      if (const auto version = event.find(name)) range.emplace_back(kind, version->nonempty());
    if (range.size() == before)
      event.fail("an event has introduced, fixed, last_affected or limit");
  }
  const bool begins =
      std::ranges::any_of(range, [](const auto& one) { return one.first == Event::introduced; });
  if (!begins)
    events.fail("one of the events must be introduced (\"0\": from the first version on)");
  return range;
}

bool Advisories::in(const Range& range, const Version& version) {
  struct Parsed {
    Event event;
    bool first;  // "0" sorts before everything
    Version version;
  };
  if (version.scheme() == Versioning::opaque) return true;  // there is no order to judge by
  std::vector<Parsed> events;
  bool limited = false, below = false;
  for (const auto& [event, text] : range) {
    if (event == Event::limit) limited = true;
    if (event == Event::limit && text == "*") {
      below = true;
      continue;
    }
    const bool first = event == Event::introduced && text == "0";
    const auto parsed = Version::parse(text, version.scheme());
    if (!parsed && !first) return true;
    if (event == Event::limit)
      below |= version < *parsed;
    else
      events.push_back({event, first, first ? Version() : *parsed});
  }
  if (limited && !below) return false;
  std::ranges::stable_sort(events, [](const Parsed& a, const Parsed& b) {
    return a.first || b.first ? a.first && !b.first : a.version < b.version;
  });
  bool affected = false;
  for (const auto& one : events) {
    if (one.event == Event::introduced && (one.first || version >= one.version)) affected = true;
    if (one.event == Event::fixed && version >= one.version) affected = false;
    if (one.event == Event::last_affected && version > one.version) affected = false;
  }
  return affected;
}

bool Advisories::names(const Affected& affected, const Version& version) {
  for (const auto& text : affected.versions) {
    if (text == version.text()) return true;
    const auto parsed = Version::parse(text, version.scheme());
    if (parsed && *parsed == version) return true;
  }
  return std::ranges::any_of(affected.ranges,
                             [&](const Range& range) { return in(range, version); });
}

std::vector<std::string> Advisories::affecting(const std::string& ecosystem,
                                               const std::string& name,
                                               const Version& version) const {
  std::vector<std::string> ids;
  const auto at = affected_.find(key(ecosystem, name));
  if (at == affected_.end()) return ids;
  for (const auto& affected : at->second)
    if ((ids.empty() || ids.back() != affected.id) && names(affected, version))
      ids.push_back(affected.id);
  return ids;
}

std::vector<Excluded> exclude(Catalog& catalog, const Advisories& advisories) {
  std::vector<Excluded> result;
  for (auto& [name, component] : catalog.components) {
    std::erase_if(component.versions, [&](const VersionEntry& entry) {
      auto ids = advisories.affecting(component.ecosystem, name, entry.version);
      for (const auto& artifact : entry.artifacts) {
        if (artifact.package.empty() || artifact.type == ArtifactType::system) continue;
        const auto version = Version::parse(
            artifact.package_version.empty() ? entry.version.text() : artifact.package_version,
            Versioning::pep440);
        if (!version) continue;
        for (const auto& id : advisories.affecting("pypi", artifact.package, *version))
          if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
      }
      if (ids.empty()) return false;
      result.push_back({name, entry.version.text(), std::move(ids)});
      return true;
    });
  }
  return result;
}

}  // namespace stackx::specs
