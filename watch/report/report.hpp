// What a pass says: one sentence that a person understands, why, what to do, and the same as data.
//
// Of a pass in which both happened, a regression weighs more than new advice (exit code 11): who follows new advice gains,
// but who upgrades the other component without knowing loses, and a pipeline must stop for that. The text says both.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "watch/advised.hpp"
#include "watch/newcomers.hpp"
#include "watch/settling.hpp"

namespace stackx::watch {

inline constexpr int advice_changed_exit = 10, regression_exit = 11;

struct ReportRow {
  Newcomer newcomer;
  std::string name;         // of the stack, as the project names it
  Standing standing;
  bool was_told = false;    // by an earlier pass over the same campaign
  bool is_regression = false;
  std::vector<std::string> blame;  // what `blame` found, or how to ask it; empty: the first change alone differs
  std::string blame_document;      // stackx/blame/1; "" for none
};

struct InvalidStack {
  specs::Stack stack;
  std::string name, why;
  bool was_advised = false;
};

struct Report {
  enum class Kind { nothing_new, no_change, advice_changed, regression, unsettled, failing, nothing_valid, planned, under_way, interrupted };
  Kind kind = Kind::nothing_new;
  std::string headline;
  std::vector<std::string> because, next, notes;

  std::string project, workload, hardware, command;
  bool is_first = false;               // nothing was measured before
  std::optional<Advised> before, after;
  std::string before_name, after_name;
  bool advice_changed = false;
  std::string advised_failure;         // why what was advised did not run; "": it did
  std::string failing_program;         // that ran with no stack of the campaign; "": with one, or these have no environment
  bool has_others = false;             // campaigns of the project that others ran since the last pass
  std::vector<ReportRow> rows;         // newcomers of this pass's campaign
  std::vector<InvalidStack> invalid;
  std::vector<std::string> waiting, read;  // versions for the next pass; catalogs that were read anew
  bool refresh_failed = false;

  std::string campaign;                // id; "": nothing was measured
  std::size_t inspections = 0;
  std::uint64_t rounds = 0;
  double seconds = 0;
  std::pair<std::size_t, std::size_t> on_cluster;  // blocks that are done, of how many; of one under way there
  bool goes_on = false;                // the next pass goes on with the campaign

  int exit_code() const;
};
const char* to_string(Report::Kind kind);

// Headline, because and next, of everything else.
void put_into_words(Report& report, const Space& space);

std::string report_text(const Report& report, std::size_t width);
std::string report_markdown(const Report& report);
nlohmann::json report_json(const Report& report);  // stackx/watch/1

}  // namespace stackx::watch
