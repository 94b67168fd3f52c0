#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/random.hpp"
#include "specs/result/text_limits.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/specs/samples.hpp"

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;

namespace {

Inspection read(const std::string& text) {
  return inspection_from(Node::parse_text(text, "i.json"));
}
std::string refusal(const Json& json) {
  return message_of([&] { read(json.dump()); });
}
// A document changed at one place, with a fresh id: what is refused is not the id.
std::string resealed(const char* pointer, Json value) {
  Json json = to_json(sample_inspection());
  json[Json::json_pointer(pointer)] = std::move(value);
  json.erase("id");
  const std::string id = sha256(json.dump());
  json["id"] = id;
  return refusal(json);
}

}  // namespace

TEST_CASE("an inspection is the same after writing and reading") {
  Inspection bare;
  bare.workload.pi = "import";
  bare.outcome = Outcome::crashed;
  seal(bare);
  for (const Inspection& inspection : {sample_inspection(), bare}) {
    const Inspection again = read(canonical(to_json(inspection)));
    CHECK(to_json(again) == to_json(inspection));
    CHECK(again.id == inspection.id);
  }
}

TEST_CASE("an inspection's texts are bounded, in documents and in what is sealed here") {
  CHECK_THAT(resealed("/reason", std::string(70'000, 'x')), Contains("/reason: a text of 70000 bytes; expected at most 65536"));
  CHECK_THAT(resealed("/runner", std::string(20'000, 'x')), Contains("/runner: a text of 20000 bytes; expected at most 16384"));
  Json many = Json::object();
  for (int i = 0; i < 100; ++i) many[std::to_string(i)] = std::string(4000, 'x');
  CHECK_THAT(resealed("/artifacts", many), Contains("/artifacts: texts of 400190 bytes together; expected at most 262144"));

  Inspection inspection = sample_inspection();
  inspection.outcome = Outcome::crashed;
  inspection.reason = std::string(65'534, 'x') + "\u00e9";
  inspection.stderr_tail = std::string(70'000, '\xff');
  inspection.loaded["library"] = std::string(10'000'000, 'v');
  for (int i = 0; i < 100; ++i) inspection.artifacts[std::to_string(i)] = std::string(4000, 'x');
  seal(inspection);
  const Inspection again = read(canonical(to_json(inspection)));
  CHECK(to_json(again) == to_json(inspection));
  CHECK(again.reason.ends_with("xxx\u00e9"));
  CHECK(again.loaded.at("library") == cut(std::string(10'000'000, 'v'), longest_text));
  CHECK(again.artifacts.size() > 50);
  CHECK(again.artifacts.size() < 100);
  inspection.reason += "more";
  seal(inspection);
  CHECK(inspection.reason.ends_with("xxx..."));
}

TEST_CASE("what a GPU was like at each sample, and what a scenario ended in, are kept") {
  Inspection inspection = sample_inspection();
  const auto samples = inspection.samples_ns.size();
  REQUIRE(samples >= 2);
  inspection.conditions.columns["sm_clock_mhz"] = std::vector<double>(samples, 1410);
  inspection.conditions.columns["power_w"] = std::vector<double>(samples, 398.25);
  inspection.conditions.throttled = {1};
  inspection.scenario = ScenarioResult{"server", "queries_per_second", "queries/s", 412.5, 5120,
                                       {{"50", 2.1e6}, {"99.9", 9.8e6}}, 1e7};
  seal(inspection);
  const Inspection again = read(canonical(to_json(inspection)));
  CHECK(to_json(again) == to_json(inspection));
  CHECK(again.conditions.columns.at("power_w").back() == 398.25);
  CHECK(again.conditions.throttled == std::vector<std::uint64_t>{1});
  CHECK(again.scenario->latency_ns.at("99.9") == 9.8e6);

  for (const char* key : {"conditions", "throttled", "scenario"})
    CHECK_FALSE(to_json(sample_inspection()).contains(key));  // as documents had it before
  CHECK_THAT(resealed("/conditions", {{"power_w", {1.0}}}), Contains("expected one number for each of"));
  CHECK_THAT(resealed("/conditions", {{"voltage", {1.0}}}), Contains("/conditions: unknown key \"voltage\""));
  CHECK_THAT(resealed("/throttled", Json::array({samples})), Contains("/throttled/0: expected increasing"));
  CHECK_THAT(resealed("/throttled", Json::array({1, 1})), Contains("/throttled/1: expected increasing"));
  CHECK_THAT(resealed("/scenario", {{"name", "server"}}), Contains("/scenario"));
}

TEST_CASE("the steal may be stated, as a share") {
  CHECK_FALSE(to_json(sample_inspection()).contains("steal"));  // as documents had it before
  for (const double share : {0.0, 0.025, 1.0}) {
    Inspection inspection = sample_inspection();
    inspection.steal = share;
    seal(inspection);
    CHECK(inspection.id != sample_inspection().id);
    CHECK(read(canonical(to_json(inspection))).steal == share);
  }
  for (const Json& value : {Json(-0.01), Json(1.01), Json(55)})
    CHECK_THAT(resealed("/steal", value), Contains("/steal: expected a share, 0 to 1"));
  CHECK_THAT(resealed("/steal", "2%"), Contains("/steal"));
}

TEST_CASE("the id is the digest of the canonical document without it") {
  Json json = to_json(sample_inspection());
  const std::string id = json["id"];
  json.erase("id");
  CHECK(sha256(json.dump()) == id);
  Inspection other = sample_inspection();
  other.samples_ns[0] += 1;
  seal(other);
  CHECK(other.id != id);
}

TEST_CASE("a changed document is refused") {
  const Json good = to_json(sample_inspection());
  CHECK(refusal(good) == "(no error)");
  const Json flat = good.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    Json changed = good;
    Json& place = changed[Json::json_pointer(pointer)];
    if (place.is_string())
      place = place.get<std::string>() + "x";
    else if (place.is_boolean())
      place = !place.get<bool>();
    else if (place.is_number())
      place = place.get<double>() + 1;
    else
      continue;  // null stands for empty objects and arrays
    CAPTURE(pointer);
    CHECK(refusal(changed) != "(no error)");
  }
  Json changed = good;
  changed["round"] = 4;
  CHECK_THAT(refusal(changed), Contains("i.json: /id: the document was changed"));
}

TEST_CASE("doubles survive exactly") {
  Random random(5);
  for (int i = 0; i < 3000; ++i) {
    std::uint64_t bits = random.next();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    Inspection inspection = sample_inspection();
    inspection.work.flop = value;
    inspection.check->max_relative_error = value;
    seal(inspection);
    const Inspection again = read(canonical(to_json(inspection)));
    REQUIRE(std::memcmp(&again.work.flop, &value, sizeof value) == 0);
    REQUIRE(again.id == inspection.id);
  }
  for (const double value :
       {0.0, -0.0, 0.1, 5e-324, std::numeric_limits<double>::max(), 1e15, 123456789012345678.0}) {
    Inspection inspection = sample_inspection();
    inspection.usage.user_s = value;
    seal(inspection);
    const double back = read(canonical(to_json(inspection))).usage.user_s;
    CHECK(std::memcmp(&back, &value, sizeof value) == 0);
  }
}

TEST_CASE("numbers that are not finite are never written") {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    Inspection inspection = sample_inspection();
    inspection.check->max_relative_error = bad;
    CHECK_THAT(message_of([&] { seal(inspection); }),
               Contains("/check/max_relative_error: not a finite number"));
    inspection = sample_inspection();
    inspection.host.cpu.max_mhz = bad;
    CHECK_THAT(message_of([&] { to_json(inspection); }), Contains("/host/cpu/max_mhz"));
  }
}

TEST_CASE("what a program printed is stored, whatever its bytes") {
  Inspection inspection = sample_inspection();
  inspection.stdout_tail = std::string("ok\0\xff\xc3(\x1b[31m", 10);
  inspection.reason = "\x80";
  seal(inspection);
  const Inspection again = read(canonical(to_json(inspection)));
  CHECK(again.id == inspection.id);
  CHECK(again.stdout_tail == to_utf8(inspection.stdout_tail));
  CHECK(again.reason == "\uFFFD");
}

TEST_CASE("mistakes in an inspection name their place") {
  CHECK_THAT(resealed("/outcome", "okay"), Contains("i.json: /outcome: unknown outcome \"okay\""));
  CHECK_THAT(resealed("/exit_code", 256), Contains("/exit_code: "));
  CHECK_THAT(resealed("/phases/0/end_ns", 5),
             Contains("/phases/0/end_ns: expected start_ns + duration_ns"));
  CHECK_THAT(resealed("/phases/0/start_ns", std::numeric_limits<std::int64_t>::max()),
             Contains("/phases/0/end_ns"));
  CHECK_THAT(resealed("/samples_ns/1", 1.5), Contains("/samples_ns/1: expected a whole number"));
  CHECK_THAT(resealed("/stack/openblas", 3), Contains("/stack/openblas: expected a string"));
  CHECK_THAT(resealed("/wrok", Json::object()),
             Contains("unknown key \"wrok\"; did you mean \"work\"?"));
  CHECK_THAT(resealed("/workload/params/m", Json::array({1})),
             Contains("/workload/params/m: expected one value"));
  CHECK_THAT(resealed("/load_1m", 1),
             Contains("/id: "));  // 1 is written 1.0: one content, one spelling, one id
}

TEST_CASE("outcomes have names") {
  for (int i = 0; i <= static_cast<int>(Outcome::implausible); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    CHECK(outcome_from(to_string(outcome)) == outcome);
  }
  CHECK_FALSE(outcome_from("okay"));
}
