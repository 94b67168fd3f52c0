#include "campaigns/cluster/slurm/nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "campaigns/cluster/slurm/queue.hpp"
#include "specs/format/printable.hpp"

namespace stackx::campaigns::cluster {
namespace {

using Features = std::set<std::string_view>;

Features parts_of(std::string_view text, char separator) {
  Features parts;
  while (true) {
    const auto end = text.find(separator);
    parts.insert(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// "a&b", "a|b", or one of them alone.
bool has_features(std::string_view features, std::string_view constraint) {
  if (constraint.empty() || constraint.find_first_of("[]()*!") != constraint.npos) return true;
  const auto there = parts_of(features, ',');
  const auto is_there = [&](std::string_view one) { return there.contains(one); };
  if (constraint.find('|') == constraint.npos) {
    auto all = parts_of(constraint, '&');
    if (constraint.find(',') != constraint.npos) all = parts_of(constraint, ',');
    return std::ranges::all_of(all, is_there);
  }
  return constraint.find('&') != constraint.npos || std::ranges::any_of(parts_of(constraint, '|'), is_there);
}

// "gpu:h100:8(S:0-1)" has what "gpu:h100:1", "gpu:1" and "gpu" ask for.
bool has_gres(std::string_view there, const std::string& asked) {
  std::string kind = asked;
  if (kind.find(',') != kind.npos) return true;
  if (kind.starts_with("gres/")) kind.erase(0, 5);
  const auto last = kind.rfind(':');
  if (last != kind.npos && kind.find_first_not_of("0123456789", last + 1) == kind.npos) kind.resize(last);
  if (kind.empty()) return true;
  const auto is_it = [&](std::string_view one) { return one == kind || one.starts_with(kind + ":"); };
  return std::ranges::any_of(parts_of(there, ','), is_it);
}

constexpr std::string_view only_silent = "not answering";

// "idle*": the node does not answer. Other marks at the end say that it sleeps, boots or is reserved.
std::string trouble_in(std::string_view state) {
  const bool silent = state.ends_with('*');
  const auto word = std::string(state.substr(0, state.find_first_of("*~#!%$@+^-")));
  for (const char* bad : {"down", "drained", "draining", "fail", "failing", "error", "maint", "inval"})
    if (word == bad) return silent ? word + ", not answering" : word;
  return silent ? std::string(only_silent) : "";
}

std::string names_in(const std::set<std::string_view>& nodes) {
  std::string text;
  for (const auto& node : nodes) text += fmt::format("{}{}", text.empty() ? "" : ",", specs::printable(node));
  return text;
}

std::string remark_on(std::string_view trouble, std::string_view reason, const std::set<std::string_view>& nodes) {
  const bool one = nodes.size() == 1;
  const auto names = names_in(nodes);
  const auto why = reason.empty() || reason == "none" ? "" : fmt::format(" ({})", specs::printable(reason));
  const auto what = fmt::format("node{} {} {} {}{}: ", one ? "" : "s", names, one ? "is" : "are", trouble, why);
  if (trouble == only_silent) return what + "Slurm starts nothing there until it answers";
  return what + fmt::format("once {} well, an administrator says: scontrol update nodename={} state=resume",
                            one ? "it is" : "they are", names);
}

}  // namespace

std::vector<std::string> node_remarks(std::string_view printed, const specs::SlurmTarget& target,
                                      const std::set<std::string>& excluded) {
  const auto rows = rows_of(printed, 6);
  const bool has_default = std::ranges::any_of(rows, [](const auto& row) { return row[1].ends_with('*'); });
  std::map<std::pair<std::string, std::string_view>, std::set<std::string_view>> troubled;  // by state and reason
  for (const auto& row : rows) {
    if (target.partition.empty() && has_default && !row[1].ends_with('*')) continue;
    if (excluded.contains(std::string(row[0]))) continue;
    if (!has_features(row[3], target.constraint) || !has_gres(row[4], target.gres)) continue;
    if (const auto trouble = trouble_in(row[2]); !trouble.empty()) troubled[{trouble, row[5]}].insert(row[0]);
  }
  std::vector<std::string> remarks;
  for (const auto& [key, nodes] : troubled) remarks.push_back(remark_on(key.first, key.second, nodes));
  return remarks;
}

}  // namespace stackx::campaigns::cluster
