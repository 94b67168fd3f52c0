#include "bench/advice/campaigns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/ranking/ranking.hpp"
#include "specs/result/order_statistics.hpp"
#include "specs/version/version.hpp"

namespace stackx::bench {
namespace {

constexpr double close = 0.03;

struct Arm {
  specs::Stack stack;
  std::vector<std::optional<double>> rates;  // by round
};

struct Campaign {
  std::string name;
  specs::Workload workload;
  std::vector<Arm> arms;
};

std::vector<Campaign> read(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  std::vector<Campaign> campaigns;
  for (std::string line; std::getline(in, line);) {
    const auto one = nlohmann::json::parse(line);
    const auto name = one.at("campaign").get<std::string>();
    if (campaigns.empty() || campaigns.back().name != name)
      campaigns.push_back({name, specs::parse_workload(one.at("workload").get<std::string>()), {}});
    auto& arm = campaigns.back().arms.emplace_back();
    arm.stack.components = one.at("stack").get<std::map<std::string, std::string>>();
    for (const auto& rate : one.at("gflop_s"))
      arm.rates.push_back(rate.is_null() ? std::nullopt : std::optional(rate.get<double>()));
  }
  return campaigns;
}

std::string stack_name(const specs::Stack& stack) {
  std::string text;
  for (const auto& [name, version] : stack.components)
    if (name != "cpu" && name != "threads") text += (text.empty() ? "" : ", ") + name + " " + version;
  return text;
}

// The other half of the rounds judges: asked after the first, judged by the second, and the other way round.
struct Half {
  std::size_t from, to;
};
Half half_of(const Arm& arm, bool second) {
  const auto middle = arm.rates.size() / 2;
  return second ? Half{middle, arm.rates.size()} : Half{0, middle};
}

// As the store gives them.
std::vector<store::Measurement> measured(const Campaign& campaign, bool second) {
  std::vector<store::Measurement> measurements;
  for (std::size_t i = 0; i < campaign.arms.size(); ++i)
    for (auto [round, to] = half_of(campaign.arms[i], second); round < to; ++round) {
      const auto& rate = campaign.arms[i].rates[round];
      if (!rate) continue;
      store::Measurement m;
      m.row = std::int64_t(measurements.size());
      m.campaign = campaign.name, m.arm = std::to_string(i), m.host = "here";
      m.round = round, m.position = i;
      m.stack = campaign.arms[i].stack, m.workload = campaign.workload;
      m.samples_ns = {1'000'000'000};
      m.work.flop = *rate * 1e9;
      measurements.push_back(std::move(m));
    }
  return measurements;
}

// Those that share the first rank, the first first.
std::vector<std::size_t> first_rank(const Campaign& campaign, bool second) {
  analysis::Options options;
  options.this_host = "here";
  const auto ranking = analysis::rank(measured(campaign, second), campaign.workload, options);
  std::vector<std::size_t> first;
  for (const auto& row : ranking.recommendations)
    if (row.rank == 1)
      first.push_back(std::size_t(std::ranges::find(campaign.arms, row.stack, &Arm::stack) - campaign.arms.begin()));
  return first;
}

// The library is what has a version; of one version the settings that come without being asked for.
std::size_t newest_of(const Campaign& campaign, const std::vector<std::size_t>& among) {
  const auto version_of = [](const specs::Stack& stack) -> std::optional<specs::Version> {
    for (const auto& [name, version] : stack.components)
      if (name != "cpu" && name != "threads" && name != "openblas-coretype")
        if (const auto parsed = specs::Version::parse(version, specs::Versioning::pep440)) return *parsed;
    return std::nullopt;
  };
  const auto same_library = [&](const specs::Stack& stack) {
    return std::ranges::equal(
        stack.components, campaign.arms[among[0]].stack.components, {}, [](const auto& c) { return c.first; },
        [](const auto& c) { return c.first; });
  };
  const auto by_default = [](const specs::Stack& stack) {
    const auto kernels = stack.components.find("openblas-coretype");
    return kernels == stack.components.end() || kernels->second == "auto";
  };
  std::size_t best = among[0];
  for (const std::size_t i : among) {
    const auto &stack = campaign.arms[i].stack, &than = campaign.arms[best].stack;
    if (!same_library(stack)) continue;
    const auto version = version_of(stack), other = version_of(than);
    const bool equal = version == other;
    if ((!equal && version && (!other || *other < *version)) || (equal && by_default(stack) && !by_default(than)))
      best = i;
  }
  return best;
}

// The median; 0 where it never ran.
double rate_in(const Arm& arm, bool second) {
  std::vector<double> rates;
  for (auto [round, to] = half_of(arm, second); round < to; ++round)
    if (arm.rates[round]) rates.push_back(*arm.rates[round]);
  return rates.empty() ? 0 : specs::median(rates);
}

CampaignAnswer answer_of(const Campaign& campaign, bool second) {
  double best = 0;
  std::vector<std::size_t> all;
  for (const auto& arm : campaign.arms) {
    best = std::max(best, rate_in(arm, !second));
    all.push_back(all.size());
  }
  CampaignAnswer answer{campaign.name + (second ? ", second half" : ", first half"), campaign.arms.size(), 0, {}};
  const auto add = [&](const char* strategy, std::size_t at) {
    answer.choices.push_back(
        {strategy, stack_name(campaign.arms[at].stack), best / rate_in(campaign.arms[at], !second) - 1});
  };
  const auto first = first_rank(campaign, second);
  answer.tied = first.size();
  add("the first measured", first.at(0));
  add("the newest of the first rank", newest_of(campaign, first));
  add("newest", newest_of(campaign, all));
  add("first in the list", 0);
  return answer;
}

}  // namespace

std::vector<CampaignAnswer> backtest_campaigns(const std::filesystem::path& file) {
  std::vector<CampaignAnswer> answers;
  for (const auto& campaign : read(file))
    for (const bool second : {false, true}) answers.push_back(answer_of(campaign, second));
  return answers;
}

std::string campaign_table(const std::vector<CampaignAnswer>& answers) {
  std::string text = "| asked after | stacks | first rank |", rule = "\n|---|---|---|",
              near = "| **within 3% of the best** | | |", medians = "| **median regret** | | |";
  for (std::size_t i = 0; i < answers.at(0).choices.size(); ++i) {
    std::vector<double> regrets;
    for (const auto& one : answers) regrets.push_back(one.choices[i].regret);
    text += fmt::format(" {} |", answers[0].choices[i].strategy), rule += "---|";
    near +=
        fmt::format(" {} of {} |", std::ranges::count_if(regrets, [](double x) { return x <= close; }), regrets.size());
    medians += fmt::format(" {:.1f}% |", 100 * specs::median(regrets));
  }
  text += rule + "\n";
  for (const auto& one : answers) {
    text += fmt::format("| {} | {} | {} |", one.campaign, one.stacks, one.tied);
    for (const auto& choice : one.choices) text += fmt::format(" {:.1f}% ({}) |", 100 * choice.regret, choice.stack);
    text += "\n";
  }
  return text + near + "\n" + medians + "\n";
}

}  // namespace stackx::bench
