// What Questions hides: its connection, its snapshot, and the small tables it keeps.
#pragma once

#include <SQLiteCpp/Transaction.h>

#include <unordered_map>

#include "store/packing/packing.hpp"
#include "store/questions/questions.hpp"
#include "store/rows.hpp"
#include "store/scan.hpp"

namespace stackx::store {

// A set of rows of one table, whose numbers are dense.
class RowSet {
 public:
  void add(std::int64_t row) {
    if (row < 0) return;
    if (static_cast<std::size_t>(row) >= bits_.size())
      bits_.resize(static_cast<std::size_t>(row) + 1 + bits_.size() / 2);
    bits_[static_cast<std::size_t>(row)] = true;
  }
  bool contains(std::int64_t row) const {
    return row >= 0 && static_cast<std::size_t>(row) < bits_.size() &&
           bits_[static_cast<std::size_t>(row)];
  }

  static RowSet both(const RowSet& a, const RowSet& b) {
    RowSet result;
    result.bits_.resize(std::min(a.bits_.size(), b.bits_.size()));
    for (std::size_t i = 0; i < result.bits_.size(); ++i)
      result.bits_[i] = a.bits_[i] && b.bits_[i];
    return result;
  }

 private:
  std::vector<bool> bits_;
};

// As SQL's json_each() takes them.
std::string list(const std::vector<std::int64_t>& rows);

struct Questions::State {
  explicit State(const std::filesystem::path& file)
      : connection(file, Mode::read_only, store::steps()),
        snapshot(connection.sqlite()),
        shared(connection) {}

  Connection connection;
  SQLite::Transaction snapshot;
  SharedRows shared;
  std::unordered_map<std::int64_t, DeviceRow> devices;
  std::unordered_map<std::int64_t, HardwareRow> hardware;
  std::unordered_map<std::int64_t, StackRow> stacks;

  SQLite::Database& sqlite() { return connection.sqlite(); }
  [[noreturn]] void missing(const char* table, std::int64_t row) const;
  std::vector<std::int64_t> rows(std::string_view sql);
  void read_hardware();
  std::vector<StepSums> steps(const RowSet* asked);  // nullptr: all
  // Of what was measured. Thousands more are published: each is sought behind the one before it.
  std::vector<std::int64_t> measured_workloads();
  std::vector<std::int64_t> matching_measured(const QuestionFilter& filter, const Questions& questions);
  std::vector<std::int64_t> matching_published(const specs::Workload& workload, const Questions& questions);
  std::vector<Measurement> inspections(const std::vector<std::int64_t>& arms, const Yardsticks& yardsticks);
  std::string program_path(std::int64_t series);  // of the program that measured it
  RowSet sources_since(const QuestionFilter& filter);
  std::map<std::int64_t, std::uint64_t> results_by_source();
  bool has_foreign();  // whether anything was measured by a program that is not stackx's own
  RowSet matching_hardware(const QuestionFilter& filter) const;
  std::optional<std::int64_t> stack_of(const std::string& prefix);  // throws if ambiguous
  std::optional<RowSet> matching_stacks(const QuestionFilter& filter);  // none: all
};

}  // namespace stackx::store
