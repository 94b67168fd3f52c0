#include "specs/format/nearest.hpp"

#include <algorithm>
#include <array>

namespace stackx::specs {
namespace {

constexpr std::size_t longest_compared = 64;

// A slip, or another ending: "family" for "families".
bool is_close(std::string_view word, std::string_view candidate) {
  const auto shorter = std::min(word.size(), candidate.size());
  if (edit_distance(word, candidate) <= std::max<std::size_t>(1, shorter / 3)) return true;
  const auto alike = std::ranges::mismatch(word, candidate).in1 - word.begin();
  return static_cast<std::size_t>(alike) >= std::max<std::size_t>(4, shorter * 2 / 3);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, longest_compared);
  b = b.substr(0, longest_compared);
  using Row = std::array<std::size_t, longest_compared + 1>;
  Row before{}, previous{}, current{};  // distances of a's last prefixes to every prefix of b
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      current[j] = std::min(
          {previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before = previous;
    previous = current;
  }
  return previous[b.size()];
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  const auto best =
      std::min_element(candidates.begin(), candidates.end(), [&](const auto& x, const auto& y) {
        return edit_distance(word, x) < edit_distance(word, y);
      });
  if (best == candidates.end()) return std::nullopt;
  return *best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const auto best = nearest(word, candidates);
  return best && is_close(word, *best) ? "; did you mean \"" + *best + "\"?" : "";
}

std::string suggestion_or(std::string_view word, const std::vector<std::string>& candidates, const std::string& otherwise) {
  const auto close = suggestion(word, candidates);
  return close.empty() ? otherwise : close;
}

}  // namespace stackx::specs
