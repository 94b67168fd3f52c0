#include "specs/catalog/report.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "specs/error.hpp"

using namespace stackx::specs;
using Catch::Matchers::Contains;

namespace {

std::vector<Report> read(const std::string& entry) {
  return parse_reports(Node::parse_text(R"({"$schema": "stackx/reports/1", "reports": [)" + entry + "]}", "reports.json"));
}

const std::string entry = R"({"package": "torch", "versions": "==2.9.1", "on": "gpu", "gpu": ">=8.0", "text": "convolutions are slower",
  "remedy": "torch 2.10", "unless": {"nvidia-cudnn-cu12": ">=9.15"}, "source": {"url": "https://example.org/1", "read": "2026-11-30"}})";

}  // namespace

TEST_CASE("report: of a version on that kind of hardware, unless what mends it is there", "[report]") {
  const auto report = read(entry).front();
  CHECK(report.concerns({{"torch", "2.9.1"}}, "8.0"));
  CHECK(report.concerns({{"torch", "2.9.1+cu130"}}, "9.0"));
  CHECK_FALSE(report.concerns({{"torch", "2.9.1"}}, "7.5"));
  CHECK_FALSE(report.concerns({{"torch", "2.9.1"}}, ""));
  CHECK_FALSE(report.concerns({{"torch", "2.10.0"}}, "8.0"));
  CHECK_FALSE(report.concerns({{"torch", "trunk"}}, "8.0"));
  CHECK_FALSE(report.concerns({{"jax", "2.9.1"}}, "8.0"));
  CHECK(report.concerns({{"torch", "2.9.1"}, {"nvidia-cudnn-cu12", "9.10.2.21"}}, "8.0"));
  CHECK_FALSE(report.concerns({{"torch", "2.9.1"}, {"nvidia-cudnn-cu12", "9.16.0.29"}}, "8.0"));
  CHECK(report.about("2.9.1") == "torch 2.9.1: convolutions are slower; torch 2.10 (https://example.org/1)");
}

TEST_CASE("report: bad documents name the place", "[report]") {
  const auto with = [](const std::string& from, const std::string& to) {
    auto text = entry;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  CHECK_THROWS_WITH(read(with("\"gpu\", \"gpu\"", "\"tpu\", \"gpu\"")), Contains("expected gpu or cpu"));
  CHECK_THROWS_WITH(read(with("==2.9.1", "2.9.1")), Contains("versions"));
  CHECK_THROWS_WITH(read(with("\"remedy\"", "\"cure\"")), Contains("cure"));
}

TEST_CASE("report: those that come with stackx are of versions that the package index has", "[report]") {
  const auto reports = load_reports(STACKX_SOURCE_DIR "/specs/data");
  CHECK(reports.size() >= 8);
  for (const auto& one : reports) {
    INFO(one.text);
    CHECK(one.source.starts_with("https://"));
    const auto package = Node::parse_file(std::string(STACKX_SOURCE_DIR "/specs/data/generated/") + one.package + ".json");
    CHECK(std::ranges::any_of(package.at("versions").members(), [&](const auto& member) {
      const auto version = Version::parse(member.first, Versioning::pep440);
      return version && one.versions.contains(*version);
    }));
  }
}
