// The answer to a named question: a table that people, spreadsheets and programs read alike.
//
// One definition of rows and columns gives three formats: a table that says once what all rows share and puts below
// their row the stacks and what does not fit beside them, CSV with every number in full, and one JSON document.
// Texts come from stores that strangers filled: the table shows no control character.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/statistics/comparison.hpp"
#include "specs/catalog/stack.hpp"

namespace stackx::analysis {

struct AnswerField {
  std::string text;          // for people; "" is shown as "-" or not at all
  nlohmann::json value = {};  // for programs; null: missing
};

struct AnswerColumn {
  enum class For { all, people, programs };
  std::string key;     // in CSV and JSON: "ci_low"
  std::string title;   // for people
  bool right = false;  // numbers
  For shown = For::all;
  bool shared = false;  // said once above the table where all rows agree
};

struct Answer {
  std::string question;             // "best"
  std::string heading, caption;     // the answer in a sentence, `text` of the document; for people: what the columns mean
  std::vector<AnswerColumn> columns;
  std::vector<std::vector<AnswerField>> rows;
  std::vector<specs::Stack> stacks;  // of each row, or none at all
  std::vector<std::string> colours;  // of each row (ANSI: "31"), or none at all
  bool none_is_good = false;         // no row is no lack of knowledge: what was asked after did not happen
  std::size_t total = 0;             // rows there are; those beyond --limit are not in `rows`
  nlohmann::json summary = {};       // what the document says besides its rows
  std::vector<std::string> notes;
};

AnswerField field(std::string text);
AnswerField field(std::size_t count);
AnswerField rate_field(std::optional<double> rate);
AnswerField share_field(std::optional<double> share);  // "1.2%"
// "[low, high]" for people; programs have columns of their own.
AnswerField interval_field(const std::optional<Interval>& interval);
AnswerField number_field(std::optional<double> number);  // for programs

// "SLOWER ×0.912 [0.900, 0.930]", or what an unresolved one still lacks.
std::string verdict_text(const Comparison& comparison, const specs::Yardstick& yardstick = {});

// What tells the stack of the first row from those of the others, where that is short, else its id.
std::string first_stack(const Answer& answer);

nlohmann::json to_json(const Answer& answer);
std::string csv(const Answer& answer);
std::string table(const Answer& answer, bool colour, std::size_t width);

}  // namespace stackx::analysis
