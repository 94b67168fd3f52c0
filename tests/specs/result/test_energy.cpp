// What a document's energy means: net of idle draw, of one operation, by the counter of what did the work.
#include <catch2/catch.hpp>

#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/result/energy.hpp"
#include "specs/result/inspection.hpp"

using namespace stackx;
using namespace stackx::specs;

namespace energy_tests {
namespace {

// 10 samples of 0.2 s, gaps of 0.01 s between them: 300 J, of which 40 W are idle draw.
Inspection measured(const char* source = "rapl") {
  Inspection one;
  one.device = source == std::string("rapl") ? "0123456789abcdef" : "GPU-1";
  one.samples_ns.assign(10, 200'000'000);
  one.energy[source] = {{"package-0"}, 300, 2.1, 42, 40.0};
  return one;
}

double joules(const Inspection& one) {
  const auto found = energy_of_run(one);
  REQUIRE(found);
  return found->joules;
}

std::string refusal(const Json& json) {
  try {
    (void)energies_from(Node::parse_text(json.dump(), "document"));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("energy: of one operation, idle draw taken off and said") {
  auto one = measured();
  CHECK(joules(one) == Approx((300 - 84) / 10.0));
  CHECK(*energy_of_run(one)->idle_share == Approx(0.28));
  one.parameters["mini_batch"] = "6";
  CHECK(joules(one) == Approx(3.6));
  one.energy["rapl"].idle_watts.reset();
  CHECK(joules(one) == Approx(5));  // gross
  CHECK_FALSE(energy_of_run(one)->idle_share);
}

TEST_CASE("energy: none where the phase is not what the samples are of, or nothing is left") {
  auto one = measured();
  one.samples_ns.assign(10, 90'000'000);  // less than half of it
  CHECK_FALSE(energy_of_run(one));
  one.samples_ns.assign(10, 230'000'000);  // more than it lasted
  CHECK_FALSE(energy_of_run(one));
  one = measured();
  one.scenario = ScenarioResult{};
  CHECK_FALSE(energy_of_run(one));
  one = measured();
  one.energy["rapl"].idle_watts = 143;
  CHECK_FALSE(energy_of_run(one));
  CHECK_FALSE(energy_of_run(Inspection()));
}

TEST_CASE("energy: a GPU's work by the GPU's counter, never by the processors' beside it") {
  auto one = measured("nvml");
  one.energy["rapl"] = {{"package-0"}, 3000, 2.1, 42, std::nullopt};
  CHECK(joules(one) == Approx(21.6));
  std::vector<double> counter;  // of documents before there was `energy`: gross
  for (int i = 0; i < 30; ++i) counter.push_back(50.0 * i);
  one.energy.erase("nvml");
  CHECK_FALSE(energy_of_run(one));
  one.conditions.columns["energy_j"] = counter;
  CHECK(joules(one) == Approx(50));
  CHECK_FALSE(energy_of_run(one)->idle_share);
}

TEST_CASE("energy: written and read") {
  const Energies both{{"rapl", {{"package-0", "package-0 dram"}, 151.2, 2.01, 40, 31.5}}, {"nvml", {{"GPU-1"}, 700, 2.01, 20, std::nullopt}}};
  const auto json = to_json(both);
  CHECK(json["rapl"]["covers"] == "machine");
  CHECK(json["nvml"]["covers"] == "device");
  CHECK(json["rapl"]["idle_share"] == 0.4188);
  CHECK_FALSE(json["nvml"].contains("idle_share"));
  const auto read = energies_from(Node::parse_text(json.dump(), "document"));
  CHECK(to_json(read) == json);
  CHECK(read.at("rapl").idle_watts == 31.5);
  CHECK_FALSE(read.at("nvml").idle_watts);
}

TEST_CASE("energy: what a document may not say") {
  const Json good = to_json(measured().energy);
  CHECK(refusal(good).empty());
  const std::vector<std::pair<const char*, Json>> bad{
      {"joules", 0}, {"joules", -3}, {"joules", "many"}, {"seconds", 0}, {"seconds", 1e16}, {"updates", 19}, {"updates", 20.5},
      {"covers", "device"}, {"idle_watts", -1}, {"idle_watts", 39.0}, {"idle_share", 0.5}, {"counters", "package-0"}, {"watts", 3}};
  for (const auto& [key, value] : bad) {
    INFO(key << " " << value);
    Json changed = good;
    changed["rapl"][key] = value;
    CHECK_FALSE(refusal(changed).empty());
  }
  for (const char* key : {"joules", "seconds", "updates", "covers", "counters", "idle_watts", "idle_share"}) {
    INFO(key);
    Json changed = good;
    changed["rapl"].erase(key);
    CHECK_FALSE(refusal(changed).empty());
  }
  CHECK_FALSE(refusal({{"solar", good["rapl"]}}).empty());
}

}  // namespace energy_tests
