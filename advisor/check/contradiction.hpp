// What is asked of one package that nothing meets: demands that exclude each other (torch==2.4.0 torch==2.5.0), or a range without
// a release (torch>=2.4.2,<2.5). No machine and no other package has to do with it, so it is said before all else.
//
// A range that a release after the facts might meet (torch>=99) is none, nor is a version that nobody lists (torch==2.4.9): those
// are unknown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/check/question.hpp"
#include "advisor/facts/knowledge.hpp"

namespace stackx::advisor {

struct AskedInstead {
  Question question;             // without the contradiction
  std::string package, without;  // "torch", "2.4.0": what is no longer asked of it; "" where that is no single version
  std::string kept = {};         // "2.5.0", ">=2.5": what is
};

struct Contradiction {
  std::string text;                   // a sentence
  std::vector<AskedInstead> instead;  // each of the demands alone, or the releases next to the range
};

// `python`: whose markers hold.
std::optional<Contradiction> contradiction(const Knowledge& knowledge, const Question& question, const std::string& python);

}  // namespace stackx::advisor
