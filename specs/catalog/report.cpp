#include "specs/catalog/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/format/members.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::specs {
namespace {

SpecifierSet range_in(const Node& value) {
  auto range = SpecifierSet::parse(value.nonempty(), Versioning::pep440);
  if (!range) value.fail(fmt::format("\"{}\": {}", value.text(), range.error().reason));
  return *range;
}

bool holds_text(const SpecifierSet& range, const std::string& text) {
  const auto version = Version::parse(text, Versioning::pep440);
  return version && range.contains(*version);
}

Report report_from(const Node& node) {
  node.only({"package", "versions", "on", "gpu", "changed", "text", "remedy", "unless", "source"});
  Report report;
  report.package = node.at("package").nonempty();
  report.versions = range_in(node.at("versions"));
  const auto where = node.at("on");
  if (where.text() != "gpu" && where.text() != "cpu") where.fail(fmt::format("\"{}\": expected gpu or cpu", where.text()));
  report.on_gpu = where.text() == "gpu";
  report.gpus = range_or_any("");
  if (const auto gpus = node.find("gpu")) report.gpus = range_in(*gpus);
  if (const auto unless = node.find("unless"))
    for (const auto& [name, range] : unless->members()) report.unless.emplace(name, range_in(range));
  if (const auto changed = node.find("changed")) report.changed = changed->boolean();
  report.text = node.at("text").nonempty();
  report.remedy = node.at("remedy").nonempty();
  const auto source = node.at("source");
  source.only({"url", "read", "title"});
  report.source = source.at("url").nonempty();
  source.at("read").nonempty();
  return report;
}

}  // namespace

bool Report::concerns(const std::map<std::string, std::string>& packages, const std::string& compute_capability) const {
  const auto is_there = [&](const std::string& name, const SpecifierSet& range) {
    const auto found = packages.find(name);
    return found != packages.end() && holds_text(range, found->second);
  };
  if (on_gpu == compute_capability.empty() || !is_there(package, versions)) return false;
  if (std::ranges::any_of(unless, [&](const auto& one) { return is_there(one.first, one.second); })) return false;
  return !on_gpu || holds_text(gpus, compute_capability);
}

std::string Report::about(const std::string& version) const { return fmt::format("{} {}: {}; {} ({})", package, version, text, remedy, source); }

std::vector<Report> parse_reports(const Node& document) {
  document.schema("stackx/reports/1");
  document.only({"$schema", "reports"});
  std::vector<Report> reports;
  for (const Node& item : document.at("reports").items()) reports.push_back(report_from(item));
  return reports;
}

std::vector<Report> load_reports(const std::filesystem::path& data_directory) {
  return parse_reports(Node::parse_file(data_directory / "reports.json"));
}

}  // namespace stackx::specs
