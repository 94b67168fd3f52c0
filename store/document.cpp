#include "store/document.hpp"

#include <fmt/format.h>

#include <array>

#include "specs/error.hpp"
#include "specs/json.hpp"
#include "specs/seal.hpp"
#include "store/packing.hpp"

namespace stackx::store {
namespace {

using nlohmann::json;

// Members that the columns hold: written again by specs::to_json from Parts::columns.
constexpr std::array in_columns{"id",       "campaign", "round",    "position", "arm",
                                "sentinel", "stack",    "workload", "device",   "samples_ns",
                                "outcome",  "reason",   "finished"};
// `work` has columns too, for queries; but SQLite knows no negative zero, and a document keeps what
// it says.
constexpr std::array in_context{"loaded",    "parameters",     "runner",
                                "artifacts", "stackx_version", "work"};

template <std::size_t N>
json take(json& from, const std::array<const char*, N>& keys) {
  json taken = json::object();
  for (const char* key : keys) {
    const auto found = from.find(key);
    if (found == from.end()) continue;
    taken[key] = std::move(*found);
    from.erase(found);
  }
  return taken;
}

specs::Inspection columns_of(const specs::Inspection& whole) {
  specs::Inspection columns;
  columns.id = whole.id;
  columns.campaign = whole.campaign;
  columns.round = whole.round;
  columns.position = whole.position;
  columns.arm = whole.arm;
  columns.sentinel = whole.sentinel;
  columns.stack = whole.stack;
  columns.workload = whole.workload;
  columns.device = whole.device;
  columns.samples_ns = whole.samples_ns;
  columns.work = whole.work;
  columns.outcome = whole.outcome;
  columns.reason = whole.reason;
  columns.finished = whole.finished;
  return columns;
}

void verify_id(const specs::Inspection& inspection, const json& document) {
  const std::string id = specs::content_id(document);
  if (id != inspection.id)
    throw bad_input(
        fmt::format("inspection {}: the id does not match the content, whose id is {}; the "
                    "document was changed after it was "
                    "sealed and is not stored",
                    inspection.id.empty() ? "(without id)" : inspection.id, id));
}

// The document as a reader will get it: with the same id, and readable.
void verify_rebuilt(const Parts& parts) {
  try {
    (void)specs::inspection_from(specs::Node::parse_text(specs::canonical(assemble(parts)),
                                                         "inspection " + parts.columns.id));
  } catch (const Error& error) {
    throw bad_input(
        fmt::format("{}; it is not stored, because nobody could read it again", error.what()));
  }
}

}  // namespace

std::uint32_t checksum(const specs::Inspection& columns, const std::string& stack_id,
                       const std::string& workload_id, const std::string& host_hash) {
  const specs::Inspection& c = columns;
  return Checksum()
      .add(c.id)
      .add(c.campaign)
      .add(c.round)
      .add(c.position)
      .add(c.arm)
      .add(std::uint64_t{c.sentinel})
      .add(stack_id)
      .add(workload_id)
      .add(host_hash)
      .add(c.device)
      .add(specs::to_string(c.outcome))
      .add(c.reason)
      .add(c.finished)
      .add(pack(c.samples_ns))
      .add(c.work.flop + 0.0)
      .add(c.work.bytes + 0.0)
      .add(c.work.items + 0.0)  // -0 counts as 0
      .value();
}

Parts take_apart(const specs::Inspection& inspection) {
  const json whole = specs::to_json(inspection);
  verify_id(inspection, whole);
  json document = whole;
  Parts parts;
  parts.columns = columns_of(inspection);
  parts.columns.reason = whole.at("reason").get<std::string>();  // as written: valid UTF-8
  take(document, in_columns);
  parts.host = specs::canonical(take(document, std::array{"host"}).at("host"));
  parts.context = specs::canonical(take(document, in_context));
  parts.rest = specs::canonical(document);
  verify_rebuilt(parts);
  return parts;
}

json assemble(const Parts& parts) {
  json document = json::parse(parts.rest);
  document.update(json::parse(parts.context));
  document["host"] = json::parse(parts.host);
  json columns = specs::to_json(parts.columns);
  document.update(take(columns, in_columns));
  return document;
}

}  // namespace stackx::store
