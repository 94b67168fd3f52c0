// Strategies on a cluster over made-up measurements: who runs in the next wave, and what a race then claims.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "campaigns/adaptive_schedule.hpp"
#include "campaigns/cluster/head/waves.hpp"
#include "specs/random.hpp"
#include "tests/campaigns/cluster/made_up.hpp"
#include "tests/specs/place.hpp"

using namespace stackx;
using namespace stackx::campaigns::cluster;
using namespace stackx::test;
using specs::StrategySpec;

namespace {

using Labels = std::set<std::string>;
using LogRate = std::function<double(std::size_t arm, std::uint64_t block, std::uint64_t round)>;  // HUGE_VAL: it fails

Labels set_of(const std::vector<std::string>& labels) { return {labels.begin(), labels.end()}; }

// A target that is measured in waves; nothing else of a cluster is there.
struct Waves {
  Waves(const specs::Plan& plan, std::uint64_t blocks, std::uint64_t rounds, LogRate measured)
      : log_rate_(std::move(measured)) {
    frozen.plan = plan;
    settings.blocks = blocks;
    settings.rounds_per_block = rounds;
  }

  // One block of these arms.
  void measure(const Labels& arms) {
    auto start = frozen.plan;
    start.campaign.rounds = settings.rounds_per_block;
    std::erase_if(start.arms, [&](const auto& arm) { return !arms.contains(arm.label); });
    std::vector<store::Measurement> measured;
    for (std::uint64_t round = 0; round < settings.rounds_per_block; ++round, ++round_)
      for (std::size_t place = 0; place < frozen.plan.arms.size(); ++place) {
        const auto& arm = frozen.plan.arms[place];
        if (!arms.contains(arm.label)) continue;
        store::Measurement one;
        one.arm = arm.label;
        one.sentinel = arm.sentinel;
        one.round = round;
        one.work.flop = 1e6;
        const double rate = log_rate_(place, block, round_);
        if (rate == HUGE_VAL) one.outcome = specs::Outcome::crashed;
        else one.samples_ns = {static_cast<std::int64_t>(1e9 * std::exp(-rate))};
        measured.push_back(std::move(one));
      }
    join(joined, start, measured);
    ++block;
  }

  // All waves; who ran in each.
  std::vector<Labels> run(std::uint64_t most = 100) {
    std::vector<Labels> waves;
    for (;;) {
      const auto next = next_wave(frozen, settings, waves.size(), joined);
      if (next.arms.empty() || waves.size() == most) return waves;
      CHECK(set_of(next.arms).size() == next.arms.size());
      waves.push_back(set_of(next.arms));
      for (std::uint64_t i = 0; i < settings.blocks; ++i) measure(waves.back());
    }
  }

  std::vector<std::string> final_words() const { return cluster::final_words(frozen, settings, joined); }

  specs::FrozenTarget frozen;
  specs::ClusterSettings settings;
  Joined joined;
  std::uint64_t block = 0;

 private:
  std::uint64_t round_ = 0;  // over all blocks
  LogRate log_rate_;
};

double gauss(specs::Random& random) {
  return std::sqrt(-2 * std::log(1 - random.unit())) * std::cos(2 * std::numbers::pi * random.unit());
}

Labels all_of(const specs::Plan& plan) {
  Labels labels;
  for (const auto& arm : plan.arms) labels.insert(arm.label);
  return labels;
}

constexpr StrategySpec race{.kind = StrategySpec::Kind::race, .final_rounds = 6};

}  // namespace

TEST_CASE("waves: fixed has one, of all arms") {
  const auto plan = made_up_plan(3, 10, 1);
  Waves waves(plan, 3, 2, [](auto, auto, auto) { return 0.0; });
  CHECK(waves.run() == std::vector<Labels>{all_of(plan)});
  CHECK(waves.final_words().empty());
}

TEST_CASE("waves: a race goes on without the slow, with sentinels and their originals until the finals") {
  const auto plan = made_up_plan(5, 100, 1, race);
  const std::string sentinel = plan.arms[5].label, original = sentinel.substr(0, sentinel.rfind('+'));
  specs::Random random(1);
  // The sentinel's original is slow, as is another; three are within 4%.
  std::vector<double> offsets(6, 0);
  std::size_t behind = 0;
  for (std::size_t arm = 0; arm < 5; ++arm) offsets[arm] = plan.arms[arm].label == original ? -0.5 : -0.02 * static_cast<double>(behind++);
  offsets[5] = -0.5;
  Waves waves(plan, 2, 2, [&](std::size_t arm, auto block, auto) { return offsets[arm] + 0.1 * static_cast<double>(block % 3) + 0.02 * gauss(random); });
  const auto ran = waves.run();
  REQUIRE(ran.size() >= 3);
  CHECK(ran[0] == all_of(plan));
  std::size_t race_waves = 0;
  for (const auto& wave : ran) {
    CHECK(wave.contains(sentinel) == wave.contains(original));  // they measure the noise together, or not at all
    race_waves += wave.contains(sentinel);
  }
  CHECK(race_waves >= 2);
  CHECK(ran.back().size() == 2);
  CHECK_FALSE(ran.back().contains(sentinel));
  const auto words = waves.final_words();
  REQUIRE(words.size() == 1);
  CHECK(words[0].find("finals: ") == 0);
  CHECK(words[0].find("fresh blocks") != std::string::npos);
}

TEST_CASE("waves: of one block of one round a race is the race on one machine") {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto plan = made_up_plan(6, 60, 0, race);
    const auto value = [seed](std::size_t arm, std::uint64_t round) {
      specs::Random random(specs::derive_seed(seed, std::to_string(arm), round));
      return -0.02 * static_cast<double>(arm) + 0.02 * gauss(random);
    };
    Waves waves(plan, 1, 1, [&](std::size_t arm, auto, auto round) { return value(arm, round); });
    const auto ran = waves.run(200);
    Waves local(plan, 1, 1, [&](std::size_t arm, auto, auto round) { return value(arm, round); });
    const auto schedule = campaigns::make_schedule(plan);
    std::size_t round = 0, told = 0;
    for (;; ++round) {
      const auto places = schedule->arms(round);
      if (places.empty()) break;
      Labels labels;
      for (const auto place : places) labels.insert(plan.arms[place].label);
      REQUIRE(round < ran.size());
      CHECK(ran[round] == labels);
      local.measure(labels);
      for (; told < local.joined.inspections.size(); ++told) schedule->add(local.joined.inspections[told]);
    }
    CHECK(round == ran.size());
  }
}

TEST_CASE("waves: the best is lost less often than stated, over nodes and blocks of any level, and what waiting for waves costs") {
  // 6 arms, the best 2% ahead at 3% noise; bench-statistics race-waves has thousands.
  const auto plan = made_up_plan(6, 24, 0, {.kind = StrategySpec::Kind::race, .error = 0.05});
  specs::Random random(4);
  const auto trial = [&](std::uint64_t blocks, std::uint64_t rounds, std::size_t& inspections) {
    std::vector<double> nodes(4);
    for (auto& node : nodes) node = 0.3 * gauss(random);
    std::map<std::uint64_t, double> levels;
    Waves waves(plan, blocks, rounds, [&](std::size_t arm, std::uint64_t block, auto) {
      if (!levels.contains(block)) levels[block] = nodes[random.below(4)] + 0.1 * gauss(random);
      return (arm == 3 ? 0.0 : -0.02) + levels[block] + 0.03 * gauss(random);
    });
    const auto ran = waves.run();
    inspections += rounds * waves.joined.inspections.size();
    return ran.back().contains(plan.arms[3].label);
  };
  int kept = 0;
  std::size_t in_waves = 0, locally = 0;
  const int trials = 40;
  for (int i = 0; i < trials; ++i) kept += trial(3, 2, in_waves);
  for (int i = 0; i < trials / 4; ++i) trial(1, 1, locally);
  INFO(kept << " of " << trials << " kept; inspections " << in_waves / trials << " against " << locally * 4 / trials);
  CHECK(kept >= 35);
  CHECK(in_waves / trials < 2 * (locally * 4 / trials));
}

TEST_CASE("waves: what a stack gains or loses on one node alone makes a race lose the best no more often") {
  // 6 arms, the best 2% ahead; 8 rounds in a row share three times their noise. Were they units, the race would take the same
  // luck for eight results.
  const auto plan = made_up_plan(6, 160, 0, race);
  const auto kept = [&](std::uint64_t blocks, std::uint64_t rounds) {
    specs::Random random(5);
    int count = 0;
    for (int i = 0; i < 40; ++i) {
      std::map<std::pair<std::size_t, std::uint64_t>, double> shared;
      Waves waves(plan, blocks, rounds, [&](std::size_t arm, auto, std::uint64_t round) {
        const auto [found, is_new] = shared.try_emplace({arm, round / 8}, 0);
        if (is_new) found->second = 0.03 * gauss(random);
        return (arm == 3 ? 0.0 : -0.02) + found->second + 0.01 * gauss(random);
      });
      waves.run();
      const auto words = waves.final_words();  // tell of all finalists
      count += std::ranges::any_of(words, [&](const auto& line) { return line.find(plan.arms[3].label) != line.npos; });
    }
    return count;
  };
  const int as_blocks = kept(4, 8), as_rounds = kept(32, 1);
  CAPTURE(as_blocks, as_rounds);
  CHECK(as_blocks >= 38);  // 5% may be lost
  CHECK(as_rounds < 30);
}

TEST_CASE("waves: rounds are counted in blocks, and of blocks of one round there are as many as rounds") {
  const auto waves_of = [](std::uint64_t rounds, std::uint64_t final_rounds, std::uint64_t rounds_per_block) {
    const auto plan = made_up_plan(2, rounds, 0, {.kind = StrategySpec::Kind::race, .final_rounds = final_rounds});
    Waves waves(plan, 1, rounds_per_block, [](auto, auto, auto) { return 0.0; });
    waves.run();
    return waves.joined.blocks;
  };
  CHECK(waves_of(30, 12, 1) == 12);  // two are finalists from the start
  CHECK(waves_of(30, 25, 4) == 7);
  CHECK(waves_of(30, 12, 4) == 6);   // no fewer can give a verdict
  const auto rounds_of = [](std::uint64_t rounds, std::uint64_t rounds_per_block) {
    const auto plan = made_up_plan(3, rounds, 0, {.kind = StrategySpec::Kind::learn, .batch = 2});
    Waves waves(plan, 1, rounds_per_block, [](auto, auto, auto) { return 0.0; });
    return waves.run().size();
  };
  CHECK(rounds_of(9, 1) == 9);
  CHECK(rounds_of(9, 4) == 3);
  CHECK(rounds_of(3, 4) == 2);  // fewer no race could look at
  CHECK(rounds_of(1, 1) == 1);
}

TEST_CASE("waves: precision lets arms go between waves, and ends with the project's rounds") {
  const StrategySpec precision{.kind = StrategySpec::Kind::precision, .width = 0.01};
  const auto plan = made_up_plan(2, 50, 0, precision);
  Waves waves(plan, 8, 2, [](std::size_t arm, std::uint64_t block, auto) {
    return arm == 0 ? 0.0 : (block < 3 ? -0.2 : 0.0) - 0.001 * static_cast<double>(block % 3);
  });
  const auto ran = waves.run();
  REQUIRE(ran.size() >= 2);
  CHECK(ran[0].size() == 2);
  CHECK(ran[1] == Labels{plan.arms[1].label});
  Waves never(plan, 8, 2, [](std::size_t arm, std::uint64_t block, auto) {
    return block % 2 == 0 ? 1.0 * static_cast<double>(arm) : -2.0;
  });
  CHECK(never.run().size() == 4);  // 4 waves of 16 rounds are the first with 50
}

TEST_CASE("waves: what was precise at a look within a wave does not run in the next") {
  const auto plan = made_up_plan(2, 100, 0, {.kind = StrategySpec::Kind::precision, .width = 0.01});
  Waves waves(plan, 9, 1, [](std::size_t arm, std::uint64_t block, auto) {  // looks are at 8 and 10, the wave ends at 9
    return arm == 0 ? 0.001 * static_cast<double>(block % 3) : 0.1 * static_cast<double>(block % 3);
  });
  const auto ran = waves.run();
  REQUIRE(ran.size() >= 2);
  CHECK(ran[1] == Labels{plan.arms[1].label});
}

TEST_CASE("waves: learn runs a batch, and leaves out what failed twice") {
  const StrategySpec learn{.kind = StrategySpec::Kind::learn, .batch = 2};
  const auto plan = made_up_plan(5, 24, 0, learn);
  Waves waves(plan, 2, 2, [](std::size_t arm, auto, std::uint64_t round) { return arm == 4 ? HUGE_VAL : 0.001 * static_cast<double>((arm + round) % 3); });
  const auto ran = waves.run();
  REQUIRE(ran.size() == 6);  // 24 rounds
  CHECK(ran[0] == all_of(plan));
  for (std::size_t wave = 1; wave < ran.size(); ++wave) {
    CHECK(ran[wave].size() == 2);
    CHECK_FALSE(ran[wave].contains(plan.arms[4].label));
  }
}

TEST_CASE("waves: blocks that come late change no wave that is written down, and end no race without its finals") {
  const tests::Place spool("waves");
  const auto plan = made_up_plan(5, 100, 0, race);
  const auto campaign = made_up_campaign(spool.path(), plan);
  const auto root = put_on_spool(campaign);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    specs::Random random(seed);
    Waves waves(plan, 2, 2, [&](std::size_t arm, auto, auto) { return -0.03 * static_cast<double>(arm) + 0.02 * gauss(random); });
    std::uint64_t wave = 0;
    for (;; ++wave) {
      REQUIRE(wave < 60);
      const auto next = next_wave(waves.frozen, waves.settings, wave, waves.joined);
      if (next.arms.empty()) break;
      if (seed == 0) begin_wave(root, {campaign.id, "v100", wave, next.arms});
      waves.measure(set_of(next.arms));
      if (wave == 1) {  // a zombie of wave 0, in which all ran: it comes before those of wave 1
        const auto count = waves.joined.inspections.size();
        waves.measure(all_of(plan));
        for (auto& one : waves.joined.inspections) {
          const bool late = &one >= &waves.joined.inspections[count];
          if (late) one.round = 1;
          else if (one.round >= 1) ++one.round;
        }
      }
      waves.measure(set_of(next.arms));
    }
    CHECK(waves.final_words().size() == 1);
    if (seed > 0) continue;
    const auto first = read_wave(root, "v100", 1);
    REQUIRE(first);
    begin_wave(root, {campaign.id, "v100", 1, {plan.arms[0].label}});
    CHECK(read_wave(root, "v100", 1)->arms == first->arms);
    CHECK(waves_begun(root, "v100") == wave);
  }
}

TEST_CASE("waves: with late blocks of any earlier wave, finals are still told on as many fresh blocks as were asked for") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    specs::Random random(seed);
    const auto plan = made_up_plan(3 + random.below(6), 40, 0, race);
    const double apart = 0.03 * random.unit();
    std::map<std::uint64_t, std::vector<std::vector<specs::Inspection>>> by_wave;  // blocks, as joined_blocks has them
    specs::ClusterSettings settings;
    settings.rounds_per_block = 2;
    const auto measure = [&](std::uint64_t wave, const std::vector<std::string>& arms) {
      Waves one(plan, 1, settings.rounds_per_block, [&](std::size_t arm, auto, auto) {
        return -apart * static_cast<double>(arm) + 0.02 * gauss(random);
      });
      one.measure(set_of(arms));
      by_wave[wave].push_back(one.joined.inspections);
    };
    const auto joined = [&] {
      Joined all;
      for (const auto& [wave, blocks] : by_wave)
        for (const auto& block : blocks) {
          for (auto one : block) {
            one.round = all.blocks;
            all.inspections.push_back(std::move(one));
          }
          ++all.blocks;
        }
      return all;
    };
    std::vector<std::vector<std::string>> waves;
    const specs::FrozenTarget frozen{{}, plan};
    for (;;) {
      REQUIRE(waves.size() < 200);
      const auto next = next_wave(frozen, settings, waves.size(), joined());
      if (next.arms.empty()) break;
      waves.push_back(next.arms);
      for (int block = 0; block < 2; ++block) measure(waves.size() - 1, next.arms);
      if (random.below(2) == 0) {
        const auto earlier = random.below(waves.size());
        measure(earlier, waves[earlier]);
      }
    }
    const auto words = final_words(frozen, settings, joined());
    INFO("seed " << seed << ", " << waves.size() << " waves");
    REQUIRE_FALSE(words.empty());
    for (const auto& line : words) {
      CAPTURE(line);
      const auto at = line.find("n=");
      REQUIRE(at != line.npos);
      CHECK(std::stoi(line.substr(at + 2)) >= 6);
    }
  }
}

TEST_CASE("waves: what is decided depends on what was measured alone, not on the order in which it is told") {
  const auto plan = made_up_plan(5, 100, 1, race);
  specs::Random random(8);
  Waves waves(plan, 3, 2, [&](std::size_t arm, auto, auto) { return -0.1 * static_cast<double>(arm) + 0.02 * gauss(random); });
  waves.measure(all_of(plan));
  waves.measure(all_of(plan));
  const auto told = next_wave(waves.frozen, waves.settings, 1, waves.joined);
  CHECK(told.arms.size() < plan.arms.size());
  REQUIRE_FALSE(told.remarks.empty());
  CHECK(told.remarks[0].find("block 2: ") == 0);
  for (int i = 0; i < 5; ++i) {
    random.shuffle(waves.joined.inspections);
    const auto again = next_wave(waves.frozen, waves.settings, 1, waves.joined);
    CHECK(again.arms == told.arms);
    CHECK(again.remarks == told.remarks);
  }
}
