#include "analysis/ranking/headline.hpp"
namespace stackx::analysis {
Headline headline(const Ranking& ranking, const std::string& hw) {
  Headline h; h.line = "stub for " + hw; h.leaders = {ranking.recommendations.front().stack.id()}; return h;
}
}
