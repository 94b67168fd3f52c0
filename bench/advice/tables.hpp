// The backtest's tables, in Markdown for bench/README.md.
#pragma once

#include <string>
#include <vector>

#include "bench/advice/backtest.hpp"

namespace stackx::bench {

// One line a strategy: how often within 3 % of the best, regrets, and the same with every series counting once.
std::string heading();
std::string lines(const std::string& held_out, const std::vector<Answered>& answers);

// One line a component of those with questions: shares and the worst of each strategy.
std::string component_lines(const std::string& held_out, const std::vector<Answered>& answers);

// Where the advice was not the newest: how often, and whether that was right.
std::string departures(const std::string& held_out, const std::vector<Answered>& answers);

// The questions themselves, one a line, of those where the advice was not the newest.
std::string departed(const std::vector<Answered>& answers);

}  // namespace stackx::bench
