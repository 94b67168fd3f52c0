// Where inspections meet, read back: each shared row is read once a query and verified against its
// hash; an inspection's own row is verified by a checksum over itself and the hashes of what it
// refers to, so a reference to a wrong row shows.
#pragma once

#include <optional>
#include <unordered_map>

#include "specs/hardware/rate_limits.hpp"
#include "specs/result/inspection.hpp"
#include "store/connection.hpp"
#include "store/packing/document.hpp"
#include "store/packing/program.hpp"

namespace stackx::store {

// An inspection's row number holds its place: the arm, and the last bits of the round.
inline constexpr int round_bits = 12;
inline constexpr std::int64_t rounds_a_block = 1 << round_bits;
inline std::int64_t inspection_row(std::int64_t arm, std::uint64_t round) {
  return arm << round_bits | static_cast<std::int64_t>(round % rounds_a_block);
}
inline std::int64_t block_of(std::uint64_t round) {
  return static_cast<std::int64_t>(round >> round_bits);
}
inline std::uint64_t round_of(std::int64_t block, std::int64_t row) {
  return static_cast<std::uint64_t>(block) << round_bits | static_cast<std::uint64_t>(row % rounds_a_block);
}

// SHA-256 of these fields, each with its length, cut to 8 bytes: what a shared row adds to checksums.
std::uint64_t digest_of(std::initializer_list<std::string_view> fields);

std::uint64_t arm_digest(std::string_view campaign, std::string_view label, bool sentinel,
                         std::int64_t block, std::string_view stack_id,
                         std::string_view workload_id, std::string_view device);
std::uint64_t condition_digest(std::string_view host_hash, std::string_view context_hash,
                               std::string_view skeleton_hash, std::string_view program,
                               std::string_view outcome, std::string_view reason);

std::uint32_t checksum_of(std::uint64_t arm_digest, std::uint64_t condition_digest,
                          std::int64_t row, std::int64_t position, std::string_view samples,
                          std::string_view rest, std::int64_t key);

// Most arms are labelled as their stack: nothing, for these; else "=" and the label.
std::string stored_label(const std::string& label, const std::string& stack_id);
std::string label_of(const std::string& stored, const std::string& stack_id);

class SharedRows {
 public:
  explicit SharedRows(Connection& connection) : connection_(connection) {}

  struct StackRow {
    specs::Stack stack;
    std::string id;
  };
  struct WorkloadRow {
    specs::Workload workload;
    std::string id;
  };
  struct HostRow {
    std::string hash, fingerprint, hostname, microarchitecture, cpu_model, document;
    specs::RateLimits limits;
  };
  struct DeviceRow {
    std::string name, model, microarchitecture;
  };
  struct ArmRow {
    std::string campaign, label;
    std::int64_t series = 0, block = 0;
    bool sentinel = false;
    const StackRow* stack = nullptr;
    const WorkloadRow* workload = nullptr;
    const DeviceRow* device = nullptr;
    std::uint64_t digest = 0;
  };
  struct ContextRow {
    std::string hash, document;
    specs::Work work;
    std::string pi_path;  // of the PI that measured, where it is not stackx's own
  };
  struct SkeletonRow {
    std::string hash, text;
    std::optional<std::size_t> load, steal, round;  // its tokens
    TimeForm time = TimeForm::text;
  };
  struct ConditionRow {
    const HostRow* host = nullptr;
    const ContextRow* context = nullptr;
    const SkeletonRow* skeleton = nullptr;
    Program program;
    specs::Outcome outcome = specs::Outcome::ok;
    std::string reason;
    std::uint64_t digest = 0;
  };

  const StackRow& stack(std::int64_t row);
  const WorkloadRow& workload(std::int64_t row);
  const HostRow& host(std::int64_t row);
  const DeviceRow& device(std::int64_t row);
  const ArmRow& arm(std::int64_t row);
  const ContextRow& context(std::int64_t row);
  const SkeletonRow& skeleton(std::int64_t row);
  const ConditionRow& condition(std::int64_t row);

  void forget();
  void forget_arms() { arms_.clear(); }  // the most numerous

 private:
  Connection& connection_;
  std::unordered_map<std::int64_t, StackRow> stacks_;
  std::unordered_map<std::int64_t, WorkloadRow> workloads_;
  std::unordered_map<std::int64_t, HostRow> hosts_;
  std::unordered_map<std::int64_t, DeviceRow> devices_;
  std::unordered_map<std::int64_t, ArmRow> arms_;
  std::unordered_map<std::int64_t, ContextRow> contexts_;
  std::unordered_map<std::int64_t, SkeletonRow> skeletons_;
  std::unordered_map<std::int64_t, ConditionRow> conditions_;
};

// The columns of an inspection in the order that read_row expects.
#define STACKX_INSPECTION_COLUMNS "id, position, condition, samples, rest, key, checksum"

struct Row {
  std::int64_t id = 0, position = 0, key = 0;
  const SharedRows::ArmRow* arm = nullptr;
  const SharedRows::ConditionRow* condition = nullptr;
  std::vector<std::int64_t> samples;
  std::string rest;  // packed
  // Of a document that says `ok`, why its rate cannot be: it is kept as it is and ranks nowhere.
  std::optional<std::string> implausible;

  specs::Outcome outcome() const { return implausible ? specs::Outcome::implausible : condition->outcome; }
};
Row read_row(Connection& connection, const Cursor& cursor, SharedRows& shared);  // verifies

std::uint64_t round_of(const Row& row);  // of a campaign's inspection

// The whole document, verified by its id, whose first bytes the row has.
Sealed document_of(Connection& connection, const Row& row);
specs::Inspection read_inspection(Connection& connection, const Row& row);

}  // namespace stackx::store
