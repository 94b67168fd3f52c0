// What a blame found, in words and numbers: the answer in one sentence, what it rests on, a row for each suspect and one for
// all others. Text, Markdown and JSON are written of this alone.
//
// Ratios are NEW over OLD of the metric itself (a time that doubled is x2), each with the interval that holds together with
// all others of the answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "blame/between/between.hpp"
#include "blame/trial.hpp"

namespace stackx::blame {

struct Ratio {
  double value = 1;
  std::optional<double> low, high;  // absent while unbounded
  std::size_t rounds = 0;
  bool shown = false;

  std::string text() const;       // "x0.76 [0.74, 0.78]"
  double most() const;            // how far from 1 it may be, as a share: 0.018
};

Ratio ratio_from(const Effect& effect, Yardstick metric);

struct FindingRow {
  enum class Role { culprit, gain, together, none, others } role = Role::none;
  std::string name;                    // "torch 2.3.1 -> 2.4.0 with triton 2.3.1 -> 3.0.0"
  std::vector<std::string> changes;    // each change of its groups
  std::vector<std::string> because;    // why they hang together
  std::optional<Ratio> effect;         // of both ways together
  std::optional<Ratio> low, high;      // OLD with only it; NEW without only it
};
const char* to_string(FindingRow::Role role);

struct FirstBad {
  std::string package, good, bad;      // neighbours; empty: not found
  std::size_t tried = 0, between = 0;  // versions measured; versions that could be
  std::optional<Ratio> effect;
  std::vector<std::string> skipped;    // "torch 2.4.0rc1 requires triton ==3.1"
  std::string text;                    // the sentence
};

struct Finding {
  enum class Kind { found, none, same, old_fails, new_fails, unfinished } kind = Kind::none;
  std::string headline;                // the answer; with what it cost
  Yardstick metric = {};
  bool breaks = false;                 // NEW gives no result at all: rows say what runs, their ratios nothing
  Ratio total;
  std::vector<FindingRow> rows;
  std::vector<std::string> because;    // sentences
  std::vector<std::string> notes;
  std::optional<FirstBad> first_bad;
  bool may_have_first_bad = false;     // where nobody looked for it yet
};

// "fails", "runs": of a row of a finding that breaks, what OLD does with only it, and NEW without only it.
const char* old_with_it(const Finding& finding, const FindingRow& row);
const char* new_without_it(const Finding& finding, const FindingRow& row);

// NEW failed without even a wrong result, and that is what is compared.
bool gives_no_result(const Trial& trial, const Yardstick& metric);

// What the user asked, for sentences and for the command that repeats it.
struct Named {
  std::string old_end, new_end;        // as named
  std::string command;                 // that repeats it
};

Finding make_finding(const Between& between, const Trial& trial, Yardstick metric, const Settings& settings, const Named& named);

}  // namespace stackx::blame
