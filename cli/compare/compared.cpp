#include "cli/compare/compared.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "specs/error.hpp"
#include "specs/format/nearest.hpp"
#include "specs/format/text_file.hpp"
#include "specs/python/lock_file.hpp"
#include "specs/version/version.hpp"

namespace stackx::cli {
namespace {

namespace fs = std::filesystem;
using Kind = Compared::Kind;

constexpr std::size_t most_listed = 8;

bool is_store_file(const fs::path& file) {
  constexpr std::string_view magic = "SQLite format 3";
  std::error_code unknown;
  if (!fs::is_regular_file(file, unknown)) return false;
  std::ifstream stream(file, std::ios::binary);
  std::string start(magic.size(), '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  return stream.gcount() == static_cast<std::streamsize>(start.size()) && start == magic;
}

// "lock1.txt", "old/Pipfile.lock": no id, and hardly a host's name.
bool is_called_like_a_file(const std::string& text) {
  if (text.find('=') != text.npos) return false;
  constexpr std::array<std::string_view, 8> endings{".txt", ".lock", ".toml", ".json", ".db", ".in", ".yml", ".yaml"};
  return text.find('/') != text.npos || std::ranges::any_of(endings, [&](auto ending) { return text.ends_with(ending); });
}

// "campaign:9c1b" -> campaign and "9c1b"; nothing without such a word.
std::optional<std::pair<Kind, std::string>> split_kind(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == text.npos) return std::nullopt;
  for (const auto kind : {Kind::stack, Kind::lock, Kind::campaign, Kind::host, Kind::store})
    if (text.substr(0, colon) == to_string(kind)) return std::pair(kind, text.substr(colon + 1));
  return std::nullopt;
}

bool same_version(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto left = specs::Version::parse(a, specs::Versioning::pep440),
             right = specs::Version::parse(b, specs::Versioning::pep440);
  return left && right && *left == *right;
}

std::string some(const auto& names) {
  std::vector<std::string> list;
  for (const auto& name : names) {
    if (list.size() == most_listed) return fmt::format("{}, ...", fmt::join(list, ", "));
    list.push_back(name);
  }
  return fmt::format("{}", fmt::join(list, ", "));
}

std::vector<std::string> beginning(const std::set<std::string>& ids, const std::string& prefix) {
  std::vector<std::string> found;
  if (prefix.empty()) return found;
  for (auto id = ids.lower_bound(prefix); id != ids.end() && id->starts_with(prefix); ++id)
    found.push_back(*id);
  return found;
}

std::vector<std::string> short_ids(const std::set<std::string>& ids) {
  std::vector<std::string> cut;
  for (const auto& id : ids) cut.push_back(id.substr(0, 12));
  return cut;
}

std::string host_texts(const Known& known) {
  std::vector<std::string> names;
  for (const auto& [fingerprint, called] : known.hosts)
    names.push_back(fmt::format("{} ({})", fmt::join(called, ", "), fingerprint.substr(0, 12)));
  return some(names);
}

struct Candidate {
  Kind kind;
  std::string id, arm = "", hostname = "";
};

void add_hosts(const std::string& name, const Known& known, std::vector<Candidate>& found) {
  if (std::ranges::any_of(known.hosts,
                          [&](const auto& host) { return host.second.contains(name); }))
    found.push_back({Kind::host, "", "", name});
  for (const auto& [fingerprint, names] : known.hosts)
    if (!name.empty() && fingerprint.starts_with(name)) found.push_back({Kind::host, fingerprint});
}

// All that the store knows by that name.
std::vector<Candidate> candidates(const std::string& name, const Known& known,
                                  std::optional<Kind> wanted) {
  std::vector<Candidate> found;
  const auto want = [&](Kind kind) { return !wanted || *wanted == kind; };
  if (want(Kind::stack)) {
    if (known.sentinels.contains(name)) found.push_back({Kind::stack, "", name});
    for (auto& id : beginning(known.stacks, name)) found.push_back({Kind::stack, id});
  }
  if (want(Kind::campaign))
    for (auto& id : beginning(known.campaigns, name)) found.push_back({Kind::campaign, id});
  if (want(Kind::host)) add_hosts(name, known, found);
  return found;
}

std::string describe(const Candidate& candidate) {
  return fmt::format(
      "{}:{}", to_string(candidate.kind),
      !candidate.id.empty() ? candidate.id.substr(0, 16) : candidate.arm + candidate.hostname);
}

[[noreturn]] void not_found(const std::string& text, const Known& known,
                            std::optional<Kind> wanted) {
  if (wanted == Kind::campaign)
    throw bad_input(fmt::format("{}: the store knows no such campaign; it has {}", text,
                                known.campaigns.empty() ? "none" : some(short_ids(known.campaigns))));
  if (wanted == Kind::host)
    throw bad_input(
        fmt::format("{}: nothing is measured on such a host, but on {}", text, host_texts(known)));
  // A version alone does not say of what.
  for (const auto& [component, versions] : known.versions)
    if (versions.contains(text)) throw bad_input(fmt::format("{0}: a version of which component? Write {1}={0}", text, component));
  throw bad_input(
      fmt::format("{}: no file, and the store knows no {} by that name or beginning; expected an "
                  "id (`stackx advise` "
                  "shows those of stacks), COMPONENT=VERSION,..., a lock file, campaign:ID, "
                  "host:NAME or the file "
                  "of a store",
                  text, wanted == Kind::stack ? "stack" : "stack, campaign or host"));
}

Compared from_name(const std::string& text, const std::string& name, const Known& known,
                   std::optional<Kind> wanted) {
  const auto found = candidates(name, known, wanted);
  if (found.empty()) not_found(text, known, wanted);
  if (found.size() > 1) {
    std::vector<std::string> names;
    for (const auto& candidate : found) names.push_back(describe(candidate));
    throw bad_input(fmt::format("{}: could be {}; say more of it", text, some(names)));
  }
  Compared result;
  result.kind = found.front().kind;
  result.text = text;
  result.id = found.front().id;
  result.arm = found.front().arm;
  result.hostname = found.front().hostname;
  return result;
}

void check_version(const std::string& text, const std::string& component,
                   const std::string& version, const Known& known) {
  const auto measured = known.versions.find(component);
  if (measured == known.versions.end()) {
    std::vector<std::string> names;
    for (const auto& [name, versions] : known.versions) names.push_back(name);
    throw bad_input(fmt::format("{}: no measured stack has a component {}{}{}", text, specs::in_quotes(component),
                                specs::suggestion(component, names), known.to_measure));
  }
  if (std::ranges::none_of(measured->second,
                           [&](const auto& other) { return same_version(other, version); }))
    throw bad_input(fmt::format("{}: {} {} is in no measured stack; measured are {}{}", text, component, version,
                                some(measured->second), known.to_measure));
}

Compared from_versions(const std::string& text, const std::string& list, const Known& known) {
  Compared result;
  result.text = text;
  for (std::size_t from = 0; from <= list.size();) {
    const auto to = std::min(list.find(',', from), list.size());
    const auto part = list.substr(from, to - from);
    const auto equals = part.find('=');
    if (equals == 0 || equals == part.npos || equals + 1 == part.size())
      throw bad_input(
          fmt::format("{}: \"{}\": expected COMPONENT=VERSION,COMPONENT=VERSION,...", text, part));
    // pip's "==" is meant the same.
    const auto start = part.find_first_not_of('=', equals);
    if (start == part.npos || start > equals + 2)
      throw bad_input(fmt::format("{}: \"{}\": expected COMPONENT=VERSION", text, part));
    const auto name = part.substr(0, equals), version = part.substr(start);
    check_version(text, name, version, known);
    if (!result.versions.emplace(name, version).second)
      throw bad_input(fmt::format("{}: {} is named twice", text, name));
    from = to + 1;
  }
  return result;
}

// Of the lock, what any stack has; the rest cannot tell stacks apart.
void keep_known(Compared& lock, const Known& known) {
  for (auto entry = lock.versions.begin(); entry != lock.versions.end();) {
    if (known.versions.contains(entry->first)) {
      ++entry;
    } else {
      lock.unknown.push_back(entry->first);
      entry = lock.versions.erase(entry);
    }
  }
  if (lock.versions.empty())
    throw bad_input(fmt::format("{}: none of its {} packages is in a measured stack", lock.text,
                                lock.unknown.size()));
}

}  // namespace

const char* to_string(Compared::Kind kind) {
  switch (kind) {
    case Kind::stack:
      return "stack";
    case Kind::lock:
      return "lock";
    case Kind::campaign:
      return "campaign";
    case Kind::host:
      return "host";
    case Kind::store:
      return "store";
  }
  return "";
}

Known known_of(const std::vector<store::Measurement>& measurements) {
  Known known;
  std::map<specs::Stack, bool> seen;  // an id is a hash: once a stack
  for (const auto& m : measurements) {
    if (seen.emplace(m.stack, true).second) {
      known.stacks.insert(m.stack.id());
      for (const auto& [component, version] : m.stack.components)
        known.versions[component].insert(version);
    }
    if (!m.campaign.empty()) known.campaigns.insert(m.campaign);
    if (m.sentinel) known.sentinels.insert(m.arm);
    known.hosts[m.host].insert(m.hostname);
  }
  return known;
}

std::optional<Compared> compared_file(const std::string& text, const workspace::Context& context) {
  const auto kind = split_kind(text);
  const bool asked = kind && (kind->first == Kind::store || kind->first == Kind::lock);
  if (kind && !asked) return std::nullopt;
  const fs::path file = asked ? kind->second : text;
  if (!context.names_file(file)) {
    if (asked || is_called_like_a_file(text)) throw bad_input(fmt::format("{}: there is no such file", text));
    return std::nullopt;
  }
  Compared result;
  result.text = text;
  result.file = file;
  result.kind = is_store_file(file) ? Kind::store : Kind::lock;
  if (asked && result.kind != kind->first)
    throw bad_input(fmt::format("{}: that is {}", text,
                                result.kind == Kind::store ? "a store, no lock" : "no store"));
  if (result.kind == Kind::lock) result.versions = specs::load_lock(file).components;
  return result;
}

Compared parse_compared(const std::string& text, const Known& known, const workspace::Context& context) {
  if (auto file = compared_file(text, context)) {
    if (file->kind == Kind::lock) keep_known(*file, known);
    return *file;
  }
  const auto kind = split_kind(text);
  const std::string name = kind ? kind->second : text;
  const bool stacks = !kind || kind->first == Kind::stack;
  if (stacks && name.find('=') != name.npos) return from_versions(text, name, known);
  return from_name(text, name, known, kind ? std::optional(kind->first) : std::nullopt);
}

bool holds(const Compared& compared, const store::Measurement& measurement) {
  switch (compared.kind) {
    case Kind::store:
      return true;
    case Kind::campaign:
      return measurement.campaign == compared.id;
    case Kind::host:
      return compared.id.empty() ? measurement.hostname == compared.hostname
                                 : measurement.host == compared.id;
    case Kind::stack:
    case Kind::lock:
      break;
  }
  if (!compared.arm.empty()) return measurement.arm == compared.arm;
  if (!compared.id.empty()) return measurement.stack.id() == compared.id;
  return std::ranges::all_of(compared.versions, [&](const auto& wanted) {
    const auto found = measurement.stack.components.find(wanted.first);
    return found != measurement.stack.components.end() &&
           same_version(found->second, wanted.second);
  });
}

}  // namespace stackx::cli
