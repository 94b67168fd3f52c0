// What `stackx compare` prints: the verdict first, then what it rests on; or the same as one JSON
// document.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/ranking/bits.hpp"
#include "analysis/ranking/side_by_side.hpp"
#include "cli/compare/sides.hpp"

namespace stackx::cli {

struct CompareReport {
  const Sides& sides;
  const analysis::SideBySide& result;
  double delta = 0.01, confidence = 0.95;
  std::optional<double> max_slower;  // percent that B may be slower than A
  std::vector<analysis::BitsCompared> bits;  // of the couples, where the metric is of the check
};

// Rounds show; sides that share none only look faster or slower, however far their intervals are apart.
const char* shown_word(analysis::Verdict verdict, const CompareReport& report);    // "FASTER"; "UNRESOLVED" where no round is shared
std::string looks(analysis::Verdict verdict, const CompareReport& report);    // "faster", "equal", "less memory"; "" where rounds show, or nothing is seen
// "Not shown: ..."; empty where rounds show, or nothing looks so.
std::string why_not_shown(const CompareReport& report);

// B is shown to be slower than A by more than `max_slower`: the whole interval lies beyond.
bool exceeds_limit(const CompareReport& report);

std::vector<analysis::BitsCompared> bits_of(const Sides& sides);

// In which components, and their versions; empty: absent.
struct Difference {
  std::string component, a, b;  // version; empty: absent
};
std::vector<Difference> differences(const specs::Stack& a, const specs::Stack& b);

// What a reader has to know besides: failures, rounds not shared, what else differed.
std::vector<std::string> compare_notes(const CompareReport& report);

struct CompareLook {
  std::size_t rows = 25;  // 0: all
  bool plots = true, colour = false;
  std::size_t width = 100;
};
std::string compare_text(const CompareReport& report, const CompareLook& look);
nlohmann::json compare_json(const CompareReport& report);

}  // namespace stackx::cli
