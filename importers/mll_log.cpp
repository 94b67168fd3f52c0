#include "importers/mll_log.hpp"

#include <algorithm>

#include "importers/literal.hpp"
#include "importers/words.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::importers {
namespace {

using specs::Json;

constexpr std::string_view mark = ":::ML";

std::string_view word(std::string_view& rest) {
  rest = specs::trim(rest).text;
  const auto end = std::min(rest.find_first_of(" \t"), rest.size());
  const auto result = rest.substr(0, end);
  rest.remove_prefix(end);
  rest = specs::trim(rest).text;
  return result;
}

// {"value": ..., "metadata": {...}}
void take_value(const Json& body, MllEvent& event) {
  if (body.is_object() && body.contains("value")) event.value = body["value"];
  if (body.is_object() && body.contains("metadata") && body["metadata"].is_object())
    event.metadata = body["metadata"];
}

std::optional<MllEvent> read_mllog(std::string_view rest) {
  const auto body = parse_literal(rest);
  if (!body || !body->is_object()) return std::nullopt;
  const auto key = body->find("key"), time = body->find("time_ms");
  if (key == body->end() || !key->is_string()) return std::nullopt;
  MllEvent event;
  event.key = key->get<std::string>();
  if (time != body->end() && time->is_number()) event.time_ms = time->get<double>();
  take_value(*body, event);
  return event;
}

std::optional<MllEvent> read_mll_line(std::string_view rest) {
  const auto seconds = number_of(word(rest));
  if (!seconds) return std::nullopt;
  const auto colon = std::min(rest.find(':'), rest.size());
  MllEvent event;
  event.key = specs::trim(rest.substr(0, colon)).text;
  event.time_ms = *seconds * 1e3;
  if (colon == rest.size()) return event;
  const auto body = parse_literal(rest.substr(colon + 1));
  if (!body) return std::nullopt;
  take_value(*body, event);
  return event;
}

std::optional<MllEvent> read_v05(std::string_view rest) {
  const auto benchmark = word(rest);
  const auto seconds = number_of(word(rest));
  if (!seconds) return std::nullopt;
  if (rest.starts_with('(')) rest.remove_prefix(std::min(rest.size(), rest.find(')') + 1));
  rest = specs::trim(rest).text;
  const auto colon = std::min(rest.find(':'), rest.size());
  MllEvent event;
  event.key = specs::trim(rest.substr(0, colon)).text;
  event.time_ms = *seconds * 1e3;
  event.metadata["benchmark"] = specs::to_utf8(benchmark);
  if (colon < rest.size())
    if (const auto body = parse_literal(rest.substr(colon + 1))) event.value = *body;
  return event;
}

}  // namespace

bool is_mll_log(std::string_view text) {
  std::size_t at = 0;
  for (int line = 0; line < 1'000 && at < text.size(); ++line) {
    const auto end = std::min(text.find('\n', at), text.size());
    if (holds(text.substr(at, end - at), mark)) return true;
    at = end + 1;
  }
  return false;
}

MllLog read_mll(std::string_view text, const std::vector<std::string_view>& keys) {
  MllLog log;
  std::size_t number = 0;
  for (const auto line : lines_of(text)) {
    ++number;
    const auto begin = line.find(mark);
    if (begin == line.npos) continue;
    auto rest = line.substr(begin);
    if (std::ranges::none_of(keys, [&](std::string_view key) { return holds(rest, key); }))
      continue;
    const auto kind = word(rest);
    std::optional<MllEvent> event;
    if (kind == ":::MLLOG")
      event = read_mllog(rest);
    else if (kind == ":::MLL")
      event = read_mll_line(rest);
    else if (kind.starts_with(":::MLPv"))
      event = read_v05(rest);
    if (!event) {
      log.unread.push_back(number);
      continue;
    }
    if (std::ranges::none_of(keys, [&](auto key) { return event->key.starts_with(key); })) continue;
    event->line = number;
    if (event->metadata.is_null()) event->metadata = Json::object();
    log.events.push_back(std::move(*event));
  }
  return log;
}

}  // namespace stackx::importers
