#include "serve/pages/campaign_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "specs/error.hpp"
#include "store/questions/read_only_sql.hpp"

namespace stackx::serve::pages {
namespace {

using nlohmann::json;

constexpr double seconds_at_most = 10;

struct Group {
  std::string arm, outcome, reason, host, hostname, first, last;
  bool sentinel = false;
  std::int64_t inspections = 0;
};

struct Sums {
  std::int64_t inspections = 0, failed = 0;
  std::string first, last;
  std::set<std::string> arms;
  std::map<std::string, std::int64_t> outcomes;
  bool sentinel = false;

  void add(const Group& group) {
    inspections += group.inspections;
    if (group.outcome != "ok") failed += group.inspections, outcomes[group.outcome] += group.inspections;
    if (first.empty() || group.first < first) first = group.first;
    last = std::max(last, group.last);
    arms.insert(group.arm);
    sentinel = group.sentinel;
  }
};

std::string text_in(const store::SqlValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text ? *text : "";
}
std::int64_t integer_in(const store::SqlValue& value) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  return integer ? *integer : 0;
}

// An SQL literal: ids of campaigns are whatever documents say.
std::string literal(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

std::vector<Group> groups_of(const std::filesystem::path& store, const std::string& campaign) {
  std::vector<Group> groups;
  const auto sql = fmt::format("SELECT arm, sentinel, outcome, reason, host, hostname, count(*), min(finished), max(finished) FROM inspections WHERE "
                               "campaign = {} GROUP BY 1, 2, 3, 4, 5, 6", literal(campaign));
  const store::SqlVisitor visitor{[](const auto&) {}, [&](const std::vector<store::SqlValue>& row) {
                                    groups.push_back({text_in(row[0]), text_in(row[2]), text_in(row[3]), text_in(row[4]), text_in(row[5]), text_in(row[7]), text_in(row[8]),
                                                      integer_in(row[1]) != 0, integer_in(row[6])});
                                    return true;
                                  }};
  store::read_only_sql(store, sql, seconds_at_most, visitor);
  return groups;
}

// By fingerprint: a machine's processor is part of it.
std::map<std::string, std::string> processors(const std::filesystem::path& store) {
  std::map<std::string, std::string> found;
  const store::SqlVisitor visitor{[](const auto&) {}, [&](const std::vector<store::SqlValue>& row) {
                                    found[text_in(row[0])] = text_in(row[1]);
                                    return true;
                                  }};
  store::read_only_sql(store, "SELECT DISTINCT host, cpu FROM hosts", seconds_at_most, visitor);
  return found;
}

json row_of(const Sums& sums) {
  return {{"inspections", sums.inspections}, {"failed", sums.failed}, {"first", sums.first}, {"last", sums.last}, {"arms", sums.arms.size()},
          {"outcomes", sums.outcomes}, {"sentinel", sums.sentinel}};
}

json sorted(std::vector<json> rows, const char* key) {
  std::ranges::stable_sort(rows, [key](const json& a, const json& b) { return a.at(key) > b.at(key); });
  return rows;
}

}  // namespace

CampaignFigures campaign_figures(const std::filesystem::path& store, const std::string& campaign) {
  CampaignFigures figures;
  std::vector<Group> groups;
  try {
    groups = groups_of(store, campaign);
  } catch (const Error&) {
    figures.late = true;  // its deadline: the statement is ours, and the store was read a moment ago
    return figures;
  }
  std::map<std::string, Sums> arms;
  std::map<std::pair<std::string, std::string>, Sums> failures, nodes;
  for (const auto& one : groups) {
    arms[one.arm].add(one);
    nodes[{one.hostname, one.host}].add(one);
    if (one.outcome != "ok") failures[{one.outcome, one.reason}].add(one);
    figures.last = std::max(figures.last, one.last);
  }
  std::vector<json> rows;
  for (const auto& [arm, sums] : arms) (rows.push_back(row_of(sums)), rows.back()["arm"] = arm);
  figures.arms = sorted(std::exchange(rows, {}), "failed");
  for (const auto& [why, sums] : failures) (rows.push_back(row_of(sums)), rows.back()["outcome"] = why.first, rows.back()["reason"] = why.second);
  figures.failures = sorted(std::exchange(rows, {}), "inspections");
  auto known = processors(store);
  for (const auto& [node, sums] : nodes) {
    rows.push_back(row_of(sums));
    rows.back()["name"] = node.first;
    rows.back()["host"] = node.second;
    rows.back()["cpu"] = known[node.second];
  }
  figures.nodes = sorted(std::move(rows), "inspections");
  return figures;
}

}  // namespace stackx::serve::pages
