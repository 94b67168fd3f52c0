#pragma once
#include <optional>
#include <string>
#include <vector>
#include "analysis/ranking/ranking.hpp"
namespace stackx::analysis {
struct Headline {
  std::string line;
  std::vector<std::string> leaders;
  bool decided = false;
  std::string verdict;
  std::optional<Interval> ratio_ci;
  std::optional<double> ratio;
  std::vector<std::string> context, cautions;
  std::size_t rounds_lacking = 0;
};
Headline headline(const Ranking& ranking, const std::string& hw);
}
