#include "specs/result/upgrade.hpp"

#include <fmt/format.h>

#include <set>

#include "specs/format/names.hpp"
#include "specs/result/published_fields.hpp"

namespace stackx::specs {
namespace {

double share_from(const Node& node) {
  const double share = node.number();
  if (share < 0 || share > 1) node.fail("expected a share, from 0 to 1");
  return share;
}

double ratio_from(const Node& node) {
  const double ratio = node.number();
  if (ratio <= 0) node.fail("expected a ratio above 0");
  return ratio;
}

double loss_from(const Node& node) {
  const double loss = node.number();
  if (loss < 0) node.fail("a loss is not negative: the newest is no better than the best");
  return loss;
}

UpgradeSteps steps_from(const Node& node) {
  node.only({"n", "median", "slower", "faster", "p5", "p95"});
  UpgradeSteps steps{at_least_one(node.at("n")),      ratio_from(node.at("median")),
                     share_from(node.at("slower")), share_from(node.at("faster")),
                     ratio_from(node.at("p5")),     ratio_from(node.at("p95"))};
  if (steps.p5 > steps.median || steps.median > steps.p95)
    node.fail("p5, median and p95 are not in this order");
  return steps;
}

NewestAgainstBest newest_from(const Node& node) {
  node.only({"n", "within", "median_loss", "p95_loss"});
  return {at_least_one(node.at("n")), share_from(node.at("within")),
          loss_from(node.at("median_loss")), loss_from(node.at("p95_loss"))};
}

std::vector<std::string> lines_of(const Node& node) {
  std::vector<std::string> lines;
  for (const Node& item : node.items()) lines.push_back(line_from(item));
  if (lines.empty()) node.fail("expected at least one");
  return lines;
}

Upgrade upgrade_from(const Node& node) {
  node.only({"component", "architecture", "steps", "newest", "hardware", "sources"});
  Upgrade upgrade;
  upgrade.component = node.at("component").text();
  check_component_name(upgrade.component, node.at("component"));
  upgrade.architecture = line_from(node.at("architecture"));
  upgrade.steps = steps_from(node.at("steps"));
  if (const auto newest = node.find("newest")) upgrade.newest = newest_from(*newest);
  upgrade.hardware = lines_of(node.at("hardware"));
  upgrade.sources = lines_of(node.at("sources"));
  return upgrade;
}

Json json_of(const Upgrade& upgrade) {
  const auto& [n, median, slower, faster, p5, p95] = upgrade.steps;
  Json json = {{"component", upgrade.component},
               {"architecture", upgrade.architecture},
               {"steps",
                {{"n", n}, {"median", median}, {"slower", slower}, {"faster", faster}, {"p5", p5}, {"p95", p95}}},
               {"hardware", upgrade.hardware},
               {"sources", upgrade.sources}};
  if (const auto& newest = upgrade.newest)
    json["newest"] = {{"n", newest->n},
                      {"within", newest->within},
                      {"median_loss", newest->median_loss},
                      {"p95_loss", newest->p95_loss}};
  return json;
}

}  // namespace

std::vector<Upgrade> parse_upgrades(const Node& document) {
  document.schema("stackx/upgrades/1");
  document.only({"$schema", "upgrades"});
  std::vector<Upgrade> upgrades;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Node& item : document.at("upgrades").items()) {
    upgrades.push_back(upgrade_from(item));
    if (!seen.emplace(upgrades.back().component, upgrades.back().architecture).second)
      item.fail(fmt::format("{} on {} stands twice", upgrades.back().component, upgrades.back().architecture));
  }
  return upgrades;
}

std::vector<Upgrade> load_upgrades(const std::filesystem::path& data_directory) {
  return parse_upgrades(Node::parse_file(data_directory / "upgrades.json"));
}

std::string upgrades_text(const std::vector<Upgrade>& upgrades) {
  std::string lines;
  for (const Upgrade& upgrade : upgrades)
    lines += fmt::format("{}{}", lines.empty() ? "\n" : ",\n",
                         json_of(upgrade).dump(-1, ' ', false, Json::error_handler_t::replace));
  return fmt::format("{{\"$schema\":\"stackx/upgrades/1\",\"upgrades\":[{}]}}\n", lines);
}

}  // namespace stackx::specs
