// What answers about energy and device memory say of what is in the amounts, and where.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "analysis/effects/effects.hpp"
#include "analysis/ranking/amount_remark.hpp"
#include "analysis/ranking/headline/headline.hpp"
#include "analysis/ranking/ranking.hpp"
#include "analysis/ranking/trade_offs.hpp"
#include "specs/result/inspection.hpp"
#include "tests/analysis/measurements.hpp"

namespace amount_remark_tests {

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

using Measurements = std::vector<store::Measurement>;
const auto energy = *specs::Yardstick::from("energy");

Measurements with_energy(std::optional<double> idle_share) {
  auto all = campaign(3, 6, [](std::size_t arm, std::uint64_t round) {
    return 100 - 10 * static_cast<double>(arm) + 0.01 * static_cast<double>(round);
  });
  for (auto& one : all) {
    one.amounts["energy"] = 1000 / rate_of(one, "GFLOP/s");
    one.idle_share = idle_share;
  }
  return all;
}

std::string text_of(const Measurements& all, const specs::Yardstick& yardstick = energy) {
  std::vector<const store::Measurement*> pointers;
  for (const auto& one : all) pointers.push_back(&one);
  return amount_remark(pointers, yardstick);
}

Ranking by(const specs::Yardstick& yardstick, const Measurements& measurements) {
  Options options{.this_host = here};
  options.yardstick = yardstick;
  return rank(measurements, matmul, options);
}

}  // namespace

TEST_CASE("idle draw: taken off, still in, or both") {
  auto all = with_energy(0.25);
  CHECK(text_of(all) == "idle draw, 25% of all that was drawn, is taken off the energy");
  all[3].idle_share = 0.404;
  CHECK(text_of(all) == "idle draw, 25 to 40% of all that was drawn, is taken off the energy");
  all[0].idle_share = all[1].idle_share = std::nullopt;
  CHECK(text_of(all) == "idle draw, 25 to 40% of all that was drawn, is taken off the energy of 16 inspections; in that of 2 it "
                        "still is, and they look worse for it");
  CHECK(text_of(with_energy(std::nullopt)) == "idle draw is in the energy: nothing tells how much it is");
  CHECK(text_of({}).empty());
  CHECK(text_of(with_energy(0.25), {}).empty());
  CHECK(text_of(with_energy(0.25), *specs::Yardstick::from("memory")).empty());
  all = with_energy(0.25);
  all[0].outcome = specs::Outcome::crashed, all[0].idle_share = 0.9;
  all[1].amounts.clear(), all[1].idle_share = std::nullopt;
  CHECK(text_of(all) == "idle draw, 25% of all that was drawn, is taken off the energy");
}

TEST_CASE("device memory: by whom it was counted, where that is not the PI alone") {
  using Source = specs::DeviceMemorySource;
  const auto own = *specs::Yardstick::from("device_memory"), nvml = *specs::Yardstick::from("nvml_memory");
  auto all = with_energy(0.25);  // 18
  for (auto& one : all) {
    one.amounts["device_memory"] = one.amounts["nvml_memory"] = 1000;
    one.device_memory_source = Source::stated, one.nvml_memory_source = Source::processes;
  }
  CHECK(text_of(all, own).empty());
  CHECK(text_of(all, nvml).empty());
  all[0].device_memory_source = all[1].device_memory_source = Source::processes;
  CHECK(text_of(all, own) == "device memory of 16 inspections is the framework's own counter, of 2 NVML's count, which is more: "
                             "--metric nvml_memory compares all by the same");
  all[1].device_memory_source = all[1].nvml_memory_source = Source::device;
  CHECK(text_of(all, nvml) == "of 1 inspection the driver hid processes' memory: it is what the device had more in use than before");
  CHECK_THAT(text_of(all, own), Catch::Contains("of 2 NVML's count") && Catch::EndsWith("; of 1 inspection the driver hid processes' "
                                                "memory: it is what the device had more in use than before"));
  for (auto& one : all) one.device_memory_source = one.nvml_memory_source = Source::device;
  CHECK(text_of(all, nvml) == "the driver hid processes' memory: it is what the device had more in use than before");
  for (auto& one : all) one.device_memory_source = Source::processes;
  CHECK(text_of(all, own) == "device memory is NVML's count, all that the PI's processes held: no PI stated its framework's own");
  CHECK(text_of(all).find("NVML") == std::string::npos);
}

TEST_CASE("amount remark: of inspections as of what a store keeps of them") {
  specs::Inspection one;
  one.device = "cpu";
  one.samples_ns = {1'000'000'000, 1'000'000'000};
  specs::Energy drawn;
  drawn.joules = 200, drawn.seconds = 2, drawn.updates = 40, drawn.idle_watts = 25;
  one.energy[specs::rapl_source] = drawn;
  AmountRemark remark(energy);
  remark.add(one);
  CHECK(remark.text() == "idle draw, 25% of all that was drawn, is taken off the energy");
  one.metrics["energy_j"] = 3;  // the PI's own
  remark.add(one);
  CHECK_THAT(remark.text(), Catch::Contains("of 1 inspections; in that of 1 it still is"));
  one.outcome = specs::Outcome::crashed;
  AmountRemark nothing(energy);
  nothing.add(one);
  CHECK(nothing.text().empty());
  one.outcome = specs::Outcome::ok;
  one.device_memory = specs::DeviceMemory{5, 3};
  AmountRemark memory(*specs::Yardstick::from("nvml_memory"));
  memory.add(one);
  CHECK(memory.text() == "the driver hid processes' memory: it is what the device had more in use than before");
}

TEST_CASE("idle draw: rankings, headlines, trade-offs and effects say it once, others do not") {
  const auto all = with_energy(0.25);
  const std::string said = "idle draw, 25% of all that was drawn, is taken off the energy";
  const auto of_energy = by(energy, all), of_rate = by({}, all);
  CHECK(std::ranges::count(of_energy.notes, said) == 1);
  CHECK(std::ranges::count(of_rate.notes, said) == 0);
  const auto cautions = headline(of_energy, "zen5").cautions;
  CHECK(std::ranges::count(cautions, "Idle draw, 25% of all that was drawn, is taken off the energy.") == 1);
  for (const auto& rankings : {std::vector{of_rate, of_energy}, std::vector{of_energy, of_rate}}) {
    const auto traded = trade_offs(rankings);
    CHECK(text(traded, 1000, false).find(said) != std::string::npos);
    const auto notes = to_json(traded)["notes"].get<std::vector<std::string>>();
    CHECK(std::ranges::count(notes, said) == 1);
  }
  EffectsOptions options;
  options.this_host = here;
  options.yardstick = energy;
  CHECK(std::ranges::count(effects(all, matmul, options).notes, said) == 1);
}

}  // namespace amount_remark_tests
