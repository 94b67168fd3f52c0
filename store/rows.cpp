#include "store/rows.hpp"

#include <fmt/format.h>

#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/result/plausibility.hpp"
#include "store/packing/packing.hpp"
#include "store/packing/prepared.hpp"
#include "store/packing/text_map.hpp"

namespace stackx::store {
namespace {

using nlohmann::json;

// A shared row that is missing, or is not what its hash says.
[[noreturn]] void bad_row(const Connection& connection, const char* table, std::int64_t row) {
  throw Connection::damaged(connection.file(),
                            fmt::format("{}: row {} is missing or changed", table, row));
}

Cursor select(Connection& connection, const char* table, const char* sql, std::int64_t row) {
  Cursor cursor = connection.prepare(sql);
  cursor << row;
  if (!cursor.next()) bad_row(connection, table, row);
  return cursor;
}

// Which token of the skeleton is the number of this top-level member.
std::optional<std::size_t> token_of(std::string_view skeleton, std::string_view name) {
  const std::string key = fmt::format("\"{}\":", name);
  const std::size_t at = skeleton.find(key);
  if (at == std::string_view::npos || at + key.size() >= skeleton.size() ||
      static_cast<unsigned char>(skeleton[at + key.size()]) >= 0x20)
    return std::nullopt;
  std::size_t before = 0;
  for (const char c : skeleton.substr(0, at)) before += static_cast<unsigned char>(c) < 0x20;
  return before;
}

specs::Work work_in(const specs::Node& context) {
  const auto work = context.at("work");
  return {work.at("flop").number(), work.at("bytes").number(), work.at("items").number()};
}

std::string pi_path_in(const specs::Node& context) {
  const auto program = context.find("program");
  return program ? specs::program_from(*program).path : "";
}

std::string mini_batch_in(const specs::Node& context) {
  const auto parameters = context.find("parameters");
  const auto said = parameters ? parameters->find("mini_batch") : std::nullopt;
  return said ? said->text() : "";
}

std::optional<std::string> why_implausible(const Row& row) {
  if (row.condition->outcome != specs::Outcome::ok) return std::nullopt;
  const auto limit = row.condition->host->limits.of(row.arm->device->name, row.arm->workload->workload);
  return specs::why_implausible(limit, row.condition->context->work, row.samples);
}

}  // namespace

std::uint64_t digest_of(std::initializer_list<std::string_view> fields) {
  std::string text;
  for (const std::string_view field : fields)
    text.append(std::to_string(field.size())).append(":").append(field);
  return static_cast<std::uint64_t>(key_of(bytes_of(specs::sha256(text))));
}

std::uint32_t checksum_of(std::uint64_t arm_digest, std::uint64_t condition_digest,
                          std::int64_t row, std::int64_t position, std::string_view samples,
                          std::string_view rest, std::int64_t key) {
  return Checksum()
      .add(arm_digest)
      .add(condition_digest)
      .add(static_cast<std::uint64_t>(row % rounds_a_block))
      .add(static_cast<std::uint64_t>(position))
      .add(samples)
      .add(rest)
      .add(static_cast<std::uint64_t>(key))
      .value();
}

void SharedRows::forget() {
  arms_.clear();
  conditions_.clear();
  contexts_.clear();
  skeletons_.clear();
  stacks_.clear();
  workloads_.clear();
  hosts_.clear();
  devices_.clear();
}

const SharedRows::StackRow& SharedRows::stack(std::int64_t row) {
  if (const auto known = stacks_.find(row); known != stacks_.end()) return known->second;
  StackRow result;
  result.id = hex_of(select(connection_, "stacks", "SELECT hash FROM stacks WHERE id = ?", row).text(0));
  Cursor cursor = connection_.prepare(
      "SELECT c.name, v.version FROM stack_versions s JOIN versions v ON v.id = s.version "
      "JOIN components c ON c.id = v.component WHERE s.stack = ?");
  cursor << row;
  while (cursor.next()) result.stack.components.emplace(cursor.text(0), cursor.text(1));
  if (result.stack.id() != result.id) bad_row(connection_, "stacks", row);
  return stacks_.emplace(row, std::move(result)).first->second;
}

const SharedRows::WorkloadRow& SharedRows::workload(std::int64_t row) {
  if (const auto known = workloads_.find(row); known != workloads_.end()) return known->second;
  const Cursor cursor = select(connection_, "workloads",
                               "SELECT hash, pi, params, program FROM workloads WHERE id = ?", row);
  WorkloadRow result;
  result.id = hex_of(cursor.text(0));
  result.workload.pi = cursor.text(1);
  result.workload.params = read_text_map(cursor.text(2));
  result.workload.program = cursor.text(3);
  if (result.workload.id() != result.id) bad_row(connection_, "workloads", row);
  return workloads_.emplace(row, std::move(result)).first->second;
}

const SharedRows::HostRow& SharedRows::host(std::int64_t row) {
  if (const auto known = hosts_.find(row); known != hosts_.end()) return known->second;
  const Cursor cursor = select(
      connection_, "hosts",
      "SELECT hash, fingerprint, hostname, microarchitecture, cpu_model, document FROM hosts WHERE "
      "id = ?",
      row);
  HostRow result{hex_of(cursor.text(0)), cursor.text(1), cursor.text(2),
                 cursor.text(3),         cursor.text(4), cursor.text(5), {}};
  if (specs::sha256(result.document) != result.hash) bad_row(connection_, "hosts", row);
  const specs::Host host =
      specs::host_from(specs::Node::parse_text(result.document, connection_.file().string()));
  if (host.fingerprint() != result.fingerprint || host.hostname != result.hostname ||
      host.cpu.microarchitecture != result.microarchitecture || host.cpu.model != result.cpu_model)
    bad_row(connection_, "hosts", row);
  result.limits = specs::RateLimits(host);
  return hosts_.emplace(row, std::move(result)).first->second;
}

const SharedRows::DeviceRow& SharedRows::device(std::int64_t row) {
  if (const auto known = devices_.find(row); known != devices_.end()) return known->second;
  const Cursor cursor = select(connection_, "devices",
                               "SELECT d.name, h.model, h.microarchitecture FROM devices d JOIN "
                               "hardware h ON h.id = d.hardware WHERE d.id = ?",
                               row);
  return devices_.emplace(row, DeviceRow{cursor.text(0), cursor.text(1), cursor.text(2)})
      .first->second;
}

const SharedRows::ArmRow& SharedRows::arm(std::int64_t row) {
  if (const auto known = arms_.find(row); known != arms_.end()) return known->second;
  ArmRow result;
  std::int64_t stack_row = 0, workload_row = 0, device_row = 0;
  std::string label;
  {
    const Cursor cursor =
        select(connection_, "arms",
               "SELECT c.name, a.label, a.series, a.block, a.sentinel, s.stack, s.workload, "
               "s.device FROM arms a JOIN series s ON s.id = a.series JOIN campaigns c ON c.id = "
               "a.campaign WHERE a.id = ?",
               row);
    result.campaign = cursor.text(0);
    label = cursor.text(1);
    result.series = cursor.integer(2);
    result.block = cursor.integer(3);
    result.sentinel = cursor.integer(4) != 0;
    stack_row = cursor.integer(5);
    workload_row = cursor.integer(6);
    device_row = cursor.integer(7);
  }
  result.stack = &stack(stack_row);
  result.label = label_of(label, result.stack->id);
  result.workload = &workload(workload_row);
  result.device = &device(device_row);
  result.digest = arm_digest(result.campaign, result.label, result.sentinel, result.block,
                             result.stack->id, result.workload->id, result.device->name);
  return arms_.emplace(row, std::move(result)).first->second;
}

const SharedRows::ContextRow& SharedRows::context(std::int64_t row) {
  if (const auto known = contexts_.find(row); known != contexts_.end()) return known->second;
  const Cursor cursor = select(connection_, "contexts", "SELECT hash, document FROM contexts WHERE id = ?", row);
  ContextRow result{hex_of(cursor.text(0)), cursor.text(1), {}, "", ""};
  if (specs::sha256(result.document) != result.hash) bad_row(connection_, "contexts", row);
  const auto context = specs::Node::parse_text(result.document, connection_.file().string());
  result.work = work_in(context);
  result.pi_path = pi_path_in(context);
  result.mini_batch = mini_batch_in(context);
  return contexts_.emplace(row, std::move(result)).first->second;
}

const SharedRows::SkeletonRow& SharedRows::skeleton(std::int64_t row) {
  if (const auto known = skeletons_.find(row); known != skeletons_.end()) return known->second;
  const Cursor cursor = select(connection_, "skeletons", "SELECT hash, text FROM skeletons WHERE id = ?", row);
  SkeletonRow result{hex_of(cursor.text(0)), cursor.text(1), {}, {}, {}, TimeForm::text};
  if (specs::sha256(result.text) != result.hash) bad_row(connection_, "skeletons", row);
  result.load = token_of(result.text, "load_1m");
  result.steal = token_of(result.text, "steal");
  result.round = token_of(result.text, "round");
  result.time = time_form(result.text);
  return skeletons_.emplace(row, std::move(result)).first->second;
}

const SharedRows::ConditionRow& SharedRows::condition(std::int64_t row) {
  if (const auto known = conditions_.find(row); known != conditions_.end()) return known->second;
  ConditionRow result;
  std::int64_t host_row = 0, context_row = 0, skeleton_row = 0;
  std::string program, outcome;
  {
    const Cursor cursor = select(connection_, "conditions",
                                 "SELECT c.host, c.context, t.skeleton, t.program, c.outcome, c.reason FROM conditions c "
                                 "JOIN templates t ON t.id = c.template WHERE c.id = ?",
                                 row);
    host_row = cursor.integer(0);
    context_row = cursor.integer(1);
    skeleton_row = cursor.integer(2);
    program = cursor.text(3);
    outcome = cursor.text(4);
    result.reason = cursor.text(5);
  }
  const auto known = specs::outcome_from(outcome);
  if (!known) bad_row(connection_, "conditions", row);
  result.outcome = *known;
  result.program = Program::from(program);
  result.context = &context(context_row);
  result.skeleton = &skeleton(skeleton_row);
  result.host = &host(host_row);
  result.digest = condition_digest(result.host->hash, result.context->hash, result.skeleton->hash, program, outcome,
                                   result.reason);
  return conditions_.emplace(row, std::move(result)).first->second;
}

std::uint64_t arm_digest(std::string_view campaign, std::string_view label, bool sentinel,
                         std::int64_t block, std::string_view stack_id,
                         std::string_view workload_id, std::string_view device) {
  return digest_of({campaign, label, sentinel ? "1" : "0", std::to_string(block), stack_id,
                    workload_id, device});
}

std::uint64_t condition_digest(std::string_view host_hash, std::string_view context_hash,
                               std::string_view skeleton_hash, std::string_view program,
                               std::string_view outcome, std::string_view reason) {
  return digest_of({host_hash, context_hash, skeleton_hash, program, outcome, reason});
}

std::string stored_label(const std::string& label, const std::string& stack_id) {
  return label == stack_id.substr(0, 12) ? "" : "=" + label;
}

std::string label_of(const std::string& stored, const std::string& stack_id) {
  return stored.empty() ? stack_id.substr(0, 12) : stored.substr(1);
}

Row read_row(Connection& connection, const Cursor& cursor, SharedRows& shared) {
  Row row;
  row.id = cursor.integer(0);
  row.position = cursor.integer(1);
  row.key = cursor.integer(5);
  const std::string samples = cursor.text(3);
  row.rest = cursor.text(4);
  row.arm = &shared.arm(row.id >> round_bits);
  row.condition = &shared.condition(cursor.integer(2));
  const auto stated = static_cast<std::uint32_t>(cursor.integer(6));
  if (checksum_of(row.arm->digest, row.condition->digest, row.id, row.position, samples, row.rest,
                  row.key) != stated)
    throw Connection::damaged(
        connection.file(),
        fmt::format("inspection {}: its checksum does not hold", key_text(row.key)));
  row.samples = unpack(samples);
  row.implausible = why_implausible(row);
  return row;
}

std::uint64_t round_of(const Row& row) {
  return round_of(row.arm->block, row.id);
}

Sealed document_of(Connection& connection, const Row& row) {
  const SharedRows::ArmRow& arm = *row.arm;
  const SharedRows::ConditionRow& condition = *row.condition;
  const Numbers numbers = condition.program.unpack(row.rest, row.samples);
  const std::string rest = join(condition.skeleton->text, numbers.tokens, numbers.lists);
  std::vector<std::string> own;
  own.reserve(12);
  const auto add = [&](const char* key, std::string value) {
    own.push_back(fmt::format("\"{}\":{}", key, value));
  };
  add("arm", json_text(arm.label));
  add("campaign", json_text(arm.campaign));
  add("device", json_text(arm.device->name));
  add("sentinel", arm.sentinel ? "true" : "false");
  add("stack", json(arm.stack->stack.components).dump());
  add("workload", specs::to_json(arm.workload->workload).dump());
  add("host", condition.host->document);
  add("outcome", json_text(specs::to_string(condition.outcome)));
  add("reason", json_text(condition.reason));
  add("position", std::to_string(static_cast<std::uint64_t>(row.position)));
  add("samples_ns", fmt::format("[{}]", fmt::join(row.samples, ",")));
  if (!arm.campaign.empty()) add("round", std::to_string(round_of(row)));
  std::vector<Member> members = members_of(rest);
  for (const Member& member : members_of(condition.context->document)) members.push_back(member);
  for (const std::string& text : own)
    members.push_back({std::string_view(text).substr(1, text.find("\":") - 1), text});
  Sealed sealed = seal_text(members);
  if (key_of(bytes_of(sealed.id)) != row.key)
    throw Connection::damaged(connection.file(), fmt::format("inspection {}: its content is not "
                                                             "what its id says",
                                                             key_text(row.key)));
  return sealed;
}

specs::Inspection read_inspection(Connection& connection, const Row& row) {
  const Sealed sealed = document_of(connection, row);
  try {
    return specs::inspection_from(
        specs::Node::parse_text(sealed.document, fmt::format("inspection {}", sealed.id)), specs::TextLengths::any);
  } catch (const Error& error) {
    throw Connection::damaged(connection.file(), error.what());
  }
}

}  // namespace stackx::store
