// HTML from pieces. What documents say (names, versions, reasons: a stranger's) becomes HTML by escaped() alone; everything
// that is called `html` here already is.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace stackx::serve::pages {

// Mere text: in an element, or between the quotes of an attribute.
std::string escaped(std::string_view text);
// A sentence: what stands between two backticks, as messages write commands, is code. Not for attributes.
std::string prose(std::string_view sentence);

std::string link(std::string_view address, std::string_view words);
// Where documents say that something is to be found: a link if it is of the web, else words ("javascript:...").
std::string outside_link(const std::string& url, std::string_view words);
std::string paragraph(std::string_view words, const char* kind = "");
std::string alert(std::string_view words);  // what went wrong
std::string items(const std::vector<std::string>& html);  // a list; "" of none
std::string facts(const std::vector<std::pair<std::string, std::string>>& names_and_html);  // those that are empty are left out
std::string copied(std::string_view command);             // a block that the script adds a button to
std::string section(const std::string& id, std::string_view title, const std::string& html, bool live = false);
std::string details(std::string_view summary, const std::string& html);
// A bar with its numbers in words; `of` 0: not known how many.
std::string progress(std::uint64_t done, std::uint64_t of, std::string_view label);

struct Cell {
  std::string html;
  std::string value = {};  // what it sorts by, and in full: "379.1725714285714"; "": its words
};

struct Column {
  std::string title;
  std::function<Cell(const nlohmann::json& row)> cell;
  const char* kind = "";  // class: "number", "id", "wide"
};

// `rows`: a JSON array. Columns that are empty in all rows are left out; "" of no rows.
std::string table(std::string_view name, std::string_view caption, const std::vector<Column>& columns, const nlohmann::json& rows);

// A form of fields that asks this page again.
struct Field {
  std::string name, label, hint = {};       // hint: an example, within
  std::vector<std::string> choices = {};    // suggested; or all there are, where
  bool strict = false;
};
std::string form(const std::string& address, const std::vector<Field>& fields, const std::function<std::string(const std::string&)>& value,
                 std::string_view button);

}  // namespace stackx::serve::pages
