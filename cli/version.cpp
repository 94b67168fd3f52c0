#include "cli/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "advisor/facts/facts_date.hpp"
#include "inspector/paths.hpp"
#include "specs/error.hpp"

namespace stackx::cli {
namespace {

// Of those that came along and those that `catalog refresh` brought.
std::string newest_facts(const Globals& globals) {
  std::string date;
  try {
    date = advisor::facts_date(globals.data_directory() / "generated");
    date = std::max(date, advisor::facts_date(inspector::data_directory() / "generated"));
  } catch (const Error&) {  // no data, no home directory: a version is asked for where things are broken
  }
  return date;
}

}  // namespace

std::string version_text(const std::string& commit, const Globals& globals) {
  const std::string facts = newest_facts(globals);
  if (globals.json) {
    nlohmann::json document = {{"stackx", STACKX_VERSION}, {"commit", nullptr}, {"facts_as_of", nullptr}};
    if (!commit.empty()) document["commit"] = commit;
    if (!facts.empty()) document["facts_as_of"] = facts;
    return document.dump();
  }
  std::string more = commit.empty() ? "" : "commit " + commit;
  if (!facts.empty()) more += (more.empty() ? "" : ", ") + ("facts as of " + facts);
  return "stackx " STACKX_VERSION + (more.empty() ? "" : " (" + more + ")");
}

}  // namespace stackx::cli
