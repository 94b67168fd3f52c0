#include "store/packing/prepared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/result/text_limits.hpp"
#include "store/packing/document.hpp"
#include "store/packing/packing.hpp"

namespace stackx::store {
namespace {

using nlohmann::json;

// A stream of hostile documents must not fill the memory: each shape takes about 10 KB.
constexpr std::size_t most_shapes = 20'000, most_hosts = 5'000;

// The document without `"id":"...",`, as its id is hashed; `id` with its quotes.
std::string without_id(std::string_view document, std::string_view id) {
  const auto at = static_cast<std::size_t>(id.data() - document.data()) - 5;
  std::string text(document.substr(0, at));
  text += document.substr(at + 5 + id.size() + 1);
  return text;
}

// Of the length that a document's texts may have, without an escape.
bool is_plain(std::string_view quoted) {
  return quoted.size() >= 2 && quoted.size() - 2 <= specs::longest_text && !quoted.contains('\\');
}

std::string unquoted(std::string_view quoted) {
  if (is_plain(quoted)) return std::string(quoted.substr(1, quoted.size() - 2));
  return json::parse(quoted).get<std::string>();
}

// The words of a document, by their marks in the skeleton.
struct DocumentWords {
  std::string_view arm, campaign, device, host, id;

  bool complete() const {
    return !arm.empty() && !campaign.empty() && !device.empty() && !host.empty() && id.size() == 66;
  }
};

DocumentWords words_of(const Skeleton& skeleton) {
  DocumentWords words;
  for (const auto& [word, text] : skeleton.words) {
    switch (word) {
      case Word::arm:
        words.arm = text;
        break;
      case Word::campaign:
        words.campaign = text;
        break;
      case Word::device:
        words.device = text;
        break;
      case Word::host:
        words.host = text;
        break;
      case Word::id:
        words.id = text;
        break;
    }
  }
  return words;
}

bool is_single(const DocumentWords& words) { return words.campaign == "\"\""; }

// What shapes are known by. Single inspections keep their round in the rest, because no row number
// holds it: they have shapes of their own.
void make_key(Skeleton& skeleton, bool single) { skeleton.text += single ? '1' : 'n'; }

std::int64_t token_value(const std::vector<Token>& tokens, std::size_t i) {
  return i < tokens.size() && tokens[i].kind == Token::Kind::integer ? tokens[i].value : 0;
}

bool ends_a_phase(const std::vector<Token>& tokens, std::size_t i) {
  std::int64_t sum = 0;
  return i > 0 &&
         !__builtin_add_overflow(token_value(tokens, i - 1), token_value(tokens, i + 1), &sum) &&
         sum == tokens[i].value;
}

bool is_within(const Token& token, double most) {
  const double value = token.kind == Token::Kind::decimal ? decimal_value(token)
                                                          : static_cast<double>(token.value);
  return value >= 0 && value <= most;
}

// Puts the tokens of a document where its shape says; false where one is out of range.
bool distribute(const Skeleton& whole, const Shape& shape, Prepared& out) {
  if (whole.tokens.size() != shape.slots.size()) return false;
  out.rest.tokens.reserve(whole.tokens.size());
  out.round = shape.round;
  out.position = shape.position;
  for (std::size_t i = 0; i < whole.tokens.size(); ++i) {
    Token token = whole.tokens[i];
    const Shape::Slot& slot = shape.slots[i];
    switch (slot.role) {
      case Shape::Role::word:
        continue;
      case Shape::Role::fixed:
        if (token.value != slot.value || token.format != slot.format) return false;
        continue;
      case Shape::Role::round:
        out.round = static_cast<std::uint64_t>(token.value);
        continue;
      case Shape::Role::position:
        out.position = static_cast<std::uint64_t>(token.value);
        continue;
      case Shape::Role::samples:
        out.samples = whole.lists[static_cast<std::size_t>(token.value)];
        continue;
      case Shape::Role::sample:
        out.samples.push_back(token.value);
        continue;
      case Shape::Role::exit_code:
        if (token.value < 0 || token.value > 255) return false;
        break;
      case Shape::Role::share:
        if (!is_within(token, 1)) return false;
        break;
      case Shape::Role::load:
        if (!is_within(token, specs::most_load)) return false;
        break;
      case Shape::Role::end_of_phase:
        if (!ends_a_phase(whole.tokens, i)) return false;
        break;
      case Shape::Role::rest:
        break;
    }
    if (token.kind == Token::Kind::list) {
      const auto index = static_cast<std::int64_t>(out.rest.lists.size());
      out.rest.lists.push_back(whole.lists[static_cast<std::size_t>(token.value)]);
      token.value = index;
    }
    out.rest.tokens.push_back(token);
  }
  return true;
}

// The name of the member before a token: text before its mark ends in "name":
bool follows(std::string_view skeleton, std::size_t mark, std::string_view name) {
  return skeleton.substr(0, mark).ends_with(name);
}

Shape::Role role_of(const std::string_view key, const Token& token, std::string_view skeleton,
                    std::size_t mark, bool single) {
  if (token.kind == Token::Kind::word) return Shape::Role::word;
  if (key == "samples_ns")
    return token.kind == Token::Kind::list ? Shape::Role::samples : Shape::Role::sample;
  if (key == "round" && !single) return Shape::Role::round;
  if (key == "position") return Shape::Role::position;
  if (!is_rest(key, single)) return Shape::Role::fixed;
  if (key == "exit_code") return Shape::Role::exit_code;
  if (key == "steal") return Shape::Role::share;
  if (key == "load_1m") return Shape::Role::load;
  if (key == "phases" && follows(skeleton, mark, "\"end_ns\":")) return Shape::Role::end_of_phase;
  return Shape::Role::rest;
}

std::vector<Shape::Slot> slots_of(std::string_view document, const Skeleton& whole, bool single) {
  const std::vector<Member> members = members_of(document);
  std::vector<Shape::Slot> slots;
  std::size_t member = 0, mark = 0;
  for (const Token& token : whole.tokens) {
    while (static_cast<unsigned char>(whole.text[mark]) >= 0x20) ++mark;
    const auto end_of = [&](const Member& m) {
      return static_cast<std::size_t>(m.text.data() - document.data()) + m.text.size();
    };
    while (end_of(members[member]) <= token.offset) ++member;
    slots.push_back({role_of(members[member].key, token, whole.text, mark, single), token.format,
                     token.value});
    ++mark;
  }
  return slots;
}

Shape make_shape(std::string_view document, const Skeleton& whole,
                 const specs::Inspection& inspection) {
  Shape shape;
  const bool single = inspection.campaign.empty();
  shape.stack = inspection.stack;
  shape.workload = inspection.workload;
  shape.stack_id = inspection.stack.id();
  shape.workload_id = inspection.workload.id();
  shape.sentinel = inspection.sentinel;
  shape.outcome = inspection.outcome;
  shape.reason = inspection.reason;
  shape.round = inspection.round;
  shape.position = inspection.position;
  shape.context = members_text(document, [](std::string_view key) { return is_context(key); });
  Skeleton rest;
  split(members_text(document, [&](std::string_view key) { return is_rest(key, single); }),
        Words::none, rest);
  shape.rest = rest.text;
  shape.slots = slots_of(document, whole, single);
  return shape;
}

KnownHost make_host(const specs::Host& host, std::string_view document) {
  KnownHost known{std::string(document), specs::sha256(document), host.fingerprint(), host.hostname,
                  host.cpu.microarchitecture, host.cpu.model, {}};
  for (const specs::Gpu& gpu : host.gpus) {
    known.gpus.emplace_back(gpu.uuid, gpu.model);
    for (const auto& part : gpu.mig)  // as NVML names them
      known.gpus.emplace_back(part.uuid, gpu.model + " MIG " + part.profile);
  }
  return known;
}

[[noreturn]] void wrong_id(const std::string& name, const std::string& stated,
                           const std::string& actual) {
  throw bad_input(fmt::format(
      "{}: inspection {}: the id does not match the content, whose id is {}; the document was "
      "changed after it was sealed and is not stored",
      name, stated.empty() ? "(without id)" : stated, actual));
}

}  // namespace

bool Reader::prepare_known(std::string_view document, Skeleton& whole, Prepared& prepared) {
  split(document, Words::of_inspection, whole);
  const DocumentWords words = words_of(whole);
  if (!whole.canonical || !words.complete()) return false;
  make_key(whole, is_single(words));
  {
    const std::shared_lock lock(mutex_);
    const auto shape = shapes_.find(whole.text);
    const auto host = hosts_.find(words.host);
    if (shape == shapes_.end() || host == hosts_.end()) return false;
    prepared.shape = shape->second;
    prepared.host = host->second;
  }
  if (!is_plain(words.arm) || !is_plain(words.campaign) || !is_plain(words.device))
    return false;
  if (!distribute(whole, *prepared.shape, prepared)) return false;
  const std::string id = specs::sha256(without_id(document, words.id));
  if (id != words.id.substr(1, 64)) return false;  // the long way says what is wrong
  prepared.id = bytes_of(id);
  prepared.arm = unquoted(words.arm);
  prepared.campaign = unquoted(words.campaign);
  prepared.device = unquoted(words.device);
  return true;
}

Prepared Reader::prepare_new(std::string_view document, const std::string& name) {
  const specs::Inspection inspection =
      specs::inspection_from(specs::Node::parse_text(document, name), texts_);
  const std::string text = specs::canonical(specs::to_json(inspection));
  Skeleton whole;
  split(text, Words::of_inspection, whole);
  const DocumentWords words = words_of(whole);
  if (!words.complete()) throw bad_input(fmt::format("{}: /id: expected 64 hex digits", name));
  const std::string id = specs::sha256(without_id(text, words.id));
  if (id != inspection.id) wrong_id(name, inspection.id, id);

  Prepared prepared;
  auto shape = std::make_shared<Shape>(make_shape(text, whole, inspection));
  auto host = std::make_shared<KnownHost>(make_host(inspection.host, words.host));
  if (!distribute(whole, *shape, prepared))
    throw bad_input(fmt::format("{}: inspection {}: its numbers cannot be kept", name, id));
  prepared.id = bytes_of(id);
  prepared.arm = inspection.arm;
  prepared.campaign = inspection.campaign;
  prepared.device = inspection.device;
  prepared.shape = shape;
  prepared.host = host;

  const std::unique_lock lock(mutex_);
  if (shapes_.size() >= most_shapes) shapes_.clear();
  if (hosts_.size() >= most_hosts) hosts_.clear();
  const auto known = hosts_.emplace(host->document, host).first;
  prepared.host = known->second;
  make_key(whole, inspection.campaign.empty());
  shapes_.insert_or_assign(whole.text, shape);
  return prepared;
}

Prepared Reader::prepare(std::string_view document, const std::string& name, Skeleton& scratch) {
  Prepared prepared;
  if (prepare_known(document, scratch, prepared)) return prepared;
  return prepare_new(document, name);
}

Prepared Reader::prepare(std::string_view document, const std::string& name) {
  Skeleton scratch;
  return prepare(document, name, scratch);
}

std::int64_t key_of(std::string_view id_bytes) {
  std::uint64_t key = 0;
  for (int i = 0; i < 8; ++i) key = key << 8 | static_cast<unsigned char>(id_bytes.at(static_cast<std::size_t>(i)));
  return static_cast<std::int64_t>(key);
}

std::string key_text(std::int64_t key) {
  return fmt::format("{:016x}", static_cast<std::uint64_t>(key));
}

}  // namespace stackx::store
