#include "specs/hardware/microarchitecture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "specs/format/nearest.hpp"

namespace stackx::specs {
namespace {

std::optional<int> parse_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::vector<NumberRange> parse_ranges(const Node& node) {
  std::vector<NumberRange> ranges;
  for (const Node& item : node.items()) {
    const std::string text = item.text();
    const std::size_t dash = text.find('-');
    const auto first = parse_number(std::string_view(text).substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : parse_number(std::string_view(text).substr(dash + 1));
    if (!first || !last || *last < *first)
      item.fail(fmt::format("\"{}\" is no number or range; write \"7\", \"0xcf\" or \"0x30-0x4f\"",
                            text));
    ranges.push_back({*first, *last});
  }
  if (ranges.empty()) node.fail("expected at least one number");
  return ranges;
}

// A whole number from `least` to a million: more is no count of bits, units or families.
int small_number(const Node& node, int least) {
  const std::int64_t value = node.integer();
  if (value < least || value > 1'000'000)
    node.fail(fmt::format("expected a number from {} to 1000000", least));
  return static_cast<int>(value);
}

double positive(const Node& node) {
  const double value = node.number();
  if (value <= 0) node.fail("expected a number above 0");
  return value;
}

bool is_id(std::string_view text) {
  const bool known =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
  return known && !text.empty() && !text.starts_with('-') && !text.ends_with('-') &&
         text.find("--") == std::string_view::npos;
}

bool is_date(std::string_view text) {  // "2026-11-20"
  if (text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (i == 4 || i == 7 ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  return true;
}

ProcessorMatch parse_match(const Node& node) {
  node.only({"family", "models", "steppings"});
  ProcessorMatch match;
  if (const auto family = node.find("family")) match.family = small_number(*family, 0);
  if (const auto models = node.find("models")) match.models = parse_ranges(*models);
  if (const auto steppings = node.find("steppings")) match.steppings = parse_ranges(*steppings);
  if (!match.family && match.models.empty()) node.fail("a match needs \"family\" or \"models\"");
  return match;
}

std::string parse_source(const Node& node) {
  node.only({"url", "read", "title"});
  const std::string url = node.at("url").text(), read = node.at("read").text();
  if (!url.starts_with("http://") && !url.starts_with("https://"))
    node.at("url").fail("expected an address that begins with http:// or https://");
  if (!is_date(read)) node.at("read").fail("expected the day it was read, as 2026-11-20");
  return fmt::format("{} ({}; read {})", url, node.at("title").text(), read);
}

void parse_rates(const Node& node, Microarchitecture& row) {
  if (const auto bits = node.find("vector_bits")) row.vector_bits = small_number(*bits, 1);
  if (const auto pipes = node.find("fma_pipes")) row.fma_pipes = small_number(*pipes, 0);
  if (const auto rate = node.find("fp32_flops_cycle")) row.fp32_flops_cycle = positive(*rate);
  if (const auto rate = node.find("fp64_flops_cycle")) row.fp64_flops_cycle = positive(*rate);
  if (const auto basis = node.find("flops_basis")) {
    row.flops_basis = basis->text();
    if (row.flops_basis != "published" && row.flops_basis != "measured" &&
        row.flops_basis != "derived")
      basis->fail("expected \"published\", \"measured\" or \"derived\"");
  }
  const bool rated = row.fp32_flops_cycle || row.fp64_flops_cycle;
  if (rated != !row.flops_basis.empty()) node.fail("rates and \"flops_basis\" come together");
}

void parse_sources(const Node& node, const std::map<std::string, std::string>& sources,
                   Microarchitecture& row) {
  for (const Node& source : node.items()) {
    const auto found = sources.find(source.text());
    if (found == sources.end())
      source.fail(fmt::format("no source \"{}\" under /sources", source.text()));
    row.sources.push_back(found->second);
  }
  if (row.sources.empty()) node.fail("expected at least one source");
}

Microarchitecture parse_row(const std::string& id, const Node& node,
                            const std::map<std::string, std::string>& sources) {
  node.only({"name", "vendor", "aliases", "match", "processors", "core", "march", "isa", "vector_bits",
             "fma_pipes", "fp32_flops_cycle", "fp64_flops_cycle", "flops_basis", "note",
             "sources"});
  if (!is_id(id)) node.fail("expected an id of lower-case letters, digits and single hyphens");
  Microarchitecture row;
  row.id = id;
  row.name = node.at("name").nonempty();
  row.vendor = node.at("vendor").nonempty();
  if (const auto aliases = node.find("aliases"))
    for (const Node& alias : aliases->items()) row.aliases.push_back(alias.nonempty());
  if (const auto processors = node.find("processors"))
    for (const Node& pattern : processors->items()) row.processors.emplace_back(pattern.nonempty());
  if (const auto matches = node.find("match"); matches || row.processors.empty())  // else it is known by name alone
    for (const Node& match : node.at("match").items()) row.matches.push_back(parse_match(match));
  if (row.matches.empty() && (row.processors.empty() || node.find("match"))) node.at("match").fail("expected at least one match");
  if (const auto core = node.find("core")) row.core = core->text();
  if (const auto march = node.find("march")) row.march = march->text();
  if (const auto isa = node.find("isa")) row.isa = isa->texts();
  parse_rates(node, row);
  if (const auto note = node.find("note")) row.note = note->text();
  parse_sources(node.at("sources"), sources, row);
  return row;
}

bool contains(const std::vector<NumberRange>& ranges, int number) {
  return ranges.empty() || std::ranges::any_of(ranges, [&](const NumberRange& range) {
           return range.contains(number);
         });
}

bool overlap(const std::vector<NumberRange>& a, const std::vector<NumberRange>& b) {
  if (a.empty() || b.empty()) return true;
  return std::ranges::any_of(a, [&](const NumberRange& x) {
    return std::ranges::any_of(
        b, [&](const NumberRange& y) { return x.first <= y.last && y.first <= x.last; });
  });
}

// Could a processor match both, with nothing to prefer one?
bool ambiguous(const ProcessorMatch& a, const ProcessorMatch& b) {
  return (!a.family || !b.family || a.family == b.family) && overlap(a.models, b.models) &&
         a.steppings.empty() == b.steppings.empty() && overlap(a.steppings, b.steppings);
}

// "Zen 3", "zen-3" and "ZEN3" are one name.
std::string squeeze(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') result += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) result += c;
  }
  return result;
}

}  // namespace

Microarchitectures Microarchitectures::load(const std::filesystem::path& file) {
  return parse(Node::parse_file(file));
}

Microarchitectures Microarchitectures::parse(const Node& document) {
  document.schema("stackx/microarchitectures/1");
  document.only({"$schema", "description", "sources", "microarchitectures", "shared_names"});
  std::map<std::string, std::string> sources;
  for (const auto& [key, source] : document.at("sources").members())
    sources[key] = parse_source(source);
  const Node rows = document.at("microarchitectures");
  Microarchitectures table;
  for (const auto& [id, row] : rows.members()) table.rows_.push_back(parse_row(id, row, sources));
  table.index_names(rows);
  table.check_overlaps(rows);
  if (const auto shared = document.find("shared_names")) table.parse_shared_names(*shared, sources);
  return table;
}

void Microarchitectures::parse_shared_names(const Node& names, const std::map<std::string, std::string>& sources) {
  for (const Node& one : names.items()) {
    shared_.push_back(shared_name_from(one));
    for (const Node& id : one.at("are").items())
      if (std::ranges::find(rows_, id.text(), &Microarchitecture::id) == rows_.end()) id.fail("no such row under /microarchitectures");
    for (const Node& source : one.at("sources").items())
      if (!sources.contains(source.text())) source.fail("no such source under /sources");
  }
}

void Microarchitectures::index_names(const Node& rows) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    std::vector<std::string> names = rows_[i].aliases;
    names.push_back(rows_[i].id);
    names.push_back(rows_[i].name);
    for (const std::string& name : names) {
      const auto [entry, added] = names_.emplace(squeeze(name), i);
      if (!added && entry->second != i)
        rows.at(rows_[i].id)
            .fail(fmt::format("\"{}\" already names {}", name, rows_[entry->second].id));
    }
  }
  // A -march name is an alias where a single row has it and nothing else is called so.
  std::map<std::string, std::vector<std::size_t>> by_march;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (!rows_[i].march.empty()) by_march[squeeze(rows_[i].march)].push_back(i);
  for (const auto& [march, owners] : by_march)
    if (owners.size() == 1) names_.emplace(march, owners.front());
}

void Microarchitectures::check_overlaps(const Node& rows) const {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (rows_[i].vendor != rows_[j].vendor) continue;
      for (const ProcessorMatch& a : rows_[i].matches)
        for (const ProcessorMatch& b : rows_[j].matches)
          if (ambiguous(a, b))
            rows.at(rows_[i].id)
                .at("match")
                .fail(
                    fmt::format("overlaps with {}: a processor could be either; narrow one of them",
                                rows_[j].id));
    }
}

const Microarchitecture* Microarchitectures::identify(std::string_view vendor, int family,
                                                      int model, int stepping) const {
  const Microarchitecture* without_stepping = nullptr;
  for (const Microarchitecture& row : rows_) {
    if (row.vendor != vendor) continue;
    for (const ProcessorMatch& match : row.matches) {
      if (match.family && *match.family != family) continue;
      if (!contains(match.models, model) || !contains(match.steppings, stepping)) continue;
      if (!match.steppings.empty()) return &row;
      without_stepping = &row;
    }
  }
  return without_stepping;
}

const Microarchitecture* Microarchitectures::find(std::string_view name) const {
  const auto found = names_.find(squeeze(name));
  return found == names_.end() ? nullptr : &rows_[found->second];
}

const Microarchitecture* Microarchitectures::of_processor(std::string_view name) const {
  const auto words = model_words(name);
  const Microarchitecture* best = nullptr;
  std::size_t fixed = 0;
  for (const Microarchitecture& row : rows_)
    for (const ModelPattern& pattern : row.processors)
      if (pattern.fixed() > fixed && pattern.matches(words)) best = &row, fixed = pattern.fixed();
  return best;
}

const SharedName* Microarchitectures::shared_name(std::string_view name) const {
  const auto found = std::ranges::find_if(shared_, [&](const auto& one) { return one.is(name); });
  return found == shared_.end() ? nullptr : &*found;
}

std::vector<std::string> Microarchitectures::nearest(std::string_view name,
                                                     std::size_t count) const {
  const std::string wanted = squeeze(name);
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const auto& [known, row] : names_) {
    // "saphire" is as near to sapphire-rapids as to its beginning.
    std::size_t cost = edit_distance(wanted, known);
    for (std::size_t size = wanted.size(); size <= wanted.size() + 1 && wanted.size() >= 3; ++size)
      cost = std::min(cost, edit_distance(wanted, std::string_view(known).substr(0, size)));
    if (cost <= std::max<std::size_t>(1, wanted.size() / 3))
      ranked.emplace_back(cost, rows_[row].id);
  }
  std::ranges::sort(ranked);
  std::vector<std::string> ids;
  for (const auto& [cost, id] : ranked)
    if (ids.size() < count && std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  return ids;
}

}  // namespace stackx::specs
