// From a machine's counters to an answer: stacks that draw differently are inspected beside a powercap that a thread moves on, and
// ranked by what their documents in the store say.
#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "analysis/ranking/headline.hpp"
#include "analysis/ranking/ranking.hpp"
#include "inspector/inspector.hpp"
#include "specs/format/json.hpp"
#include "store/store.hpp"
#include "tests/inspector/fake_powercap.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx;
using namespace stackx::inspector::testing;
using Catch::Matchers::Contains;

namespace {

constexpr double idle = 20;  // watts
const std::map<std::string, double> appetites{{"modest", 30}, {"hungry", 60}};

std::string words_of(const std::string& appetite) { return fmt::format("{}-{}", appetite, getpid()); }

// What the machine draws: more while a PI runs whose command line says which.
double watts_now() {
  for (const auto& [appetite, watts] : appetites)
    if (processes_with("appetite=" + words_of(appetite)) > 0) return idle + watts;
  return idle;
}

std::string catalog_text() {
  nlohmann::json versions;
  for (const auto& [appetite, watts] : appetites) versions[appetite] = {{"parameters", {{"appetite", words_of(appetite)}}}};
  return nlohmann::json{{"$schema", "stackx/catalog/1"},
                        {"components", {{"appetite", {{"kind", "setting"}, {"versioning", "opaque"}, {"versions", versions}}}}}}
      .dump();
}

double mean_seconds(const specs::Inspection& inspection) {
  double sum = 0;
  for (const auto ns : inspection.samples_ns) sum += static_cast<double>(ns) / 1e9;
  return sum / static_cast<double>(inspection.samples_ns.size());
}

}  // namespace

TEST_CASE("energy: inspected, stored, ranked, and idle draw is said to be taken off") {
  FakeMachine machine;
  FakePowercap powercap(machine);
  powercap.zone("intel-rapl:0", "package-0", 15'000'000);
  powercap.zone("intel-rapl:0:0", "dram");
  powercap.draw([](const std::string& entry) { return watts_now() * (entry == "intel-rapl:0" ? 0.9 : 0.1); });
  const TempDirectory directory;
  const auto catalog = catalog_of(catalog_text());
  inspector::Context context;
  context.host.hostname = "test";
  context.cache = directory / "cache";
  context.pis.native = fake_pi();
  context.supervisor = supervisor();
  context.stackx_version = "test";
  context.root = machine.root();
  inspector::Inspector inspector(context, catalog, {});
  auto store = store::Store::open(directory / "store.db");
  const specs::Workload workload{"sleeper", {}};

  std::map<std::string, double> expected;  // J a sample
  for (const auto& [appetite, watts] : appetites) {
    auto inspection = inspector.inspect(specs::Stack{{{"appetite", appetite}}}, workload);
    INFO(appetite << ": " << inspection.reason);
    REQUIRE(inspection.outcome == specs::Outcome::ok);
    REQUIRE(inspection.energy.contains("rapl"));
    const auto& energy = inspection.energy.at("rapl");
    CHECK(energy.joules == Approx((idle + watts) * energy.seconds).epsilon(0.06));
    CHECK(*energy.idle_watts == Approx(idle).epsilon(0.1));
    CHECK(energy.counters == std::vector<std::string>{"package-0", "package-0 dram"});
    expected[appetite] = watts * mean_seconds(inspection);
    specs::seal(inspection);
    store.ingest(inspection);
  }

  const auto by_energy = *specs::Yardstick::from("energy");
  const auto measurements = store.measurements({.workload = workload, .whose = store::all_results, .yardsticks = {by_energy}});
  REQUIRE(measurements.size() == 2);
  for (const auto& measurement : measurements) {
    CHECK(store.inspection(measurement).energy.contains("rapl"));  // whole, as it was sealed
    REQUIRE(measurement.idle_share);
    const double share = idle / (idle + appetites.at(measurement.stack.components.at("appetite")));
    CHECK(*measurement.idle_share == Approx(share).epsilon(0.12));
  }
  analysis::Options options;
  options.yardstick = by_energy;
  const auto ranking = analysis::rank(measurements, workload, options);
  REQUIRE(ranking.recommendations.size() == 2);
  CHECK(ranking.recommendations[0].stack.components.at("appetite") == "modest");
  CHECK(ranking.recommendations[0].median == Approx(expected["modest"]).epsilon(0.15));
  CHECK(ranking.recommendations[1].median == Approx(expected["hungry"]).epsilon(0.15));
  CHECK_THAT(ranking.amount_remark, Contains("of all that was drawn, is taken off the energy"));
}
