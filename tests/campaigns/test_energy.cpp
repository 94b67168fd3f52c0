// From a machine's counters to an answer: stacks that draw differently are inspected beside a powercap that a thread moves on, and
// ranked by what their documents in the store say. As late as the thread may be where the machine does much else, as little is known.
#include <catch2/catch.hpp>

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
const std::map<std::string, double> appetites{{"hungry", 60}, {"modest", 30}, {"none", 0}};

std::string catalog_text() {
  nlohmann::json versions;
  for (const auto& [appetite, watts] : appetites) versions[appetite] = {{"parameters", {{"appetite", appetite}}}};
  return nlohmann::json{{"$schema", "stackx/catalog/1"},
                        {"components", {{"appetite", {{"kind", "setting"}, {"versioning", "opaque"}, {"versions", versions}}}}}}
      .dump();
}

}  // namespace

TEST_CASE("energy: inspected, stored, ranked, and idle draw is said to be taken off") {
  FakeMachine machine;
  FakePowercap powercap(machine);
  powercap.zone("intel-rapl:0", "package-0", 60'000'000);  // 60 J: begins again once a second
  powercap.zone("intel-rapl:0:0", "dram");
  const auto draw = [&](double watts) {
    powercap.draw([watts](const std::string& entry) { return watts * (entry == "intel-rapl:0" ? 0.9 : 0.1); });
  };
  draw(idle);
  powercap.keep_moving();
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

  // What idle draw is, the inspector finds out before the first of all.
  REQUIRE(inspector.inspect(specs::Stack{{{"appetite", "none"}}}, {"good", {}}).outcome == specs::Outcome::ok);
  std::map<std::string, double> expected, shares;  // J a sample, without idle draw; idle draw in all that was drawn
  for (const std::string appetite : {"modest", "hungry"}) {
    const double watts = appetites.at(appetite);
    draw(idle + watts);
    auto inspection = inspector.inspect(specs::Stack{{{"appetite", appetite}}}, workload);
    INFO(appetite << ": " << inspection.reason);
    REQUIRE(inspection.outcome == specs::Outcome::ok);
    REQUIRE(inspection.energy.contains("rapl"));
    const auto& energy = inspection.energy.at("rapl");
    const double late = powercap.longest_pause();
    CHECK(energy.joules == Approx((idle + watts) * energy.seconds).epsilon(0).margin((idle + watts) * (0.02 * energy.seconds + late)));
    CHECK(*energy.idle_watts == Approx(idle).epsilon(0).margin(idle * (0.02 + late / 0.5)));
    CHECK(energy.counters == std::vector<std::string>{"package-0", "package-0 dram"});
    const double own = energy.joules - *energy.idle_watts * energy.seconds;
    expected[appetite] = own / static_cast<double>(inspection.samples_ns.size());
    shares[appetite] = 1 - own / energy.joules;
    specs::seal(inspection);
    store.ingest(inspection);
  }

  const auto by_energy = *specs::Yardstick::from("energy");
  const auto measurements = store.measurements({.workload = workload, .whose = store::all_results, .yardsticks = {by_energy}});
  REQUIRE(measurements.size() == 2);
  for (const auto& measurement : measurements) {
    CHECK(store.inspection(measurement).energy.contains("rapl"));  // whole, as it was sealed
    REQUIRE(measurement.idle_share);
    CHECK(*measurement.idle_share == Approx(shares.at(measurement.stack.components.at("appetite"))).epsilon(0.001));
  }
  analysis::Options options;
  options.yardstick = by_energy;
  const auto ranking = analysis::rank(measurements, workload, options);
  REQUIRE(ranking.recommendations.size() == 2);
  CHECK(ranking.recommendations[0].stack.components.at("appetite") == "modest");
  CHECK(ranking.recommendations[0].median == Approx(expected["modest"]).epsilon(0.001));
  CHECK(ranking.recommendations[1].median == Approx(expected["hungry"]).epsilon(0.001));
  CHECK_THAT(ranking.amount_remark, Contains("of all that was drawn, is taken off the energy"));
}
