// What `advise` answers: one stack to run, what to expect of it, why, and what to do. The rule:
//
//   1. Candidate: the newest valid stack of what is asked (newest_candidate.hpp): of the project's framework, else of the one that
//      the workload's family is usually run with.
//   2. It is displaced only by evidence that another valid stack is faster: by what was measured with stackx on such
//      hardware (the winner of a campaign), or by one source's numbers for both at the same shapes (rivals.hpp). Old
//      stacks with good numbers are context. Nothing is swapped across frameworks.
//   3. There is always an answer where any stack is valid, with its grade (grade.hpp).
// Sentences are made here, once: text, Markdown, JSON and reports only lay them out. Rejected: the best published number
// as the recommendation, which is that of the stack that somebody happened to write about years ago.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/answer/evidence_row.hpp"
#include "advisor/answer/grade.hpp"
#include "advisor/candidate/driver_rows.hpp"
#include "advisor/hardware_advice.hpp"
#include "advisor/not_known.hpp"
#include "analysis/statistics/statistics.hpp"

namespace stackx::advisor {

// One figure to expect: "111 TFLOP/s float16 [85, 125]".
struct Expected {
  std::string of;  // what tells it from the others: "float16"; "" where there is one
  double value = 0;
  std::string unit;
  std::optional<analysis::Interval> interval;
  std::string text() const;
};

// A component up to which version the hardware allows it.
struct Limit {
  std::string component, here, last, first_out, why;
};

// A stack that was measured: "=2", 216, "SLOWER x0.52", "19%", "oneDNN 2023.1.0 with 1 thread", "b97501a923b6".
struct MeasuredRow {
  std::string rank;
  double rate = 0;
  std::string versus, cv, stack, id;
};

struct Advice {
  bool found = false;  // there is a stack to run
  bool unknown = false;  // or nobody knows: never called no
  std::string line;    // the first: "Run torch 2.14.1+cu126 on Python 3.10 to 3.14, driver >=525.60.13."
  std::string expect;  // "Expect 111 TFLOP/s float16 [85, 125]: PREDICTED, nothing measured."
  std::string why;
  Grade grade = Grade::newest;
  std::vector<Expected> expected;

  std::string run;                     // the stack in words: "torch 2.14.1+cu126"
  std::optional<Candidate> candidate;  // of Python packages
  std::optional<Chosen> chosen;        // of the catalogs: measured, or a processor's libraries
  std::optional<Pinned> pinned;        // what to install
  std::string install;                 // one line that works as printed; "" where a recipe does it
  std::vector<std::string> cautions;   // what goes wrong easily, and what is not known

  std::vector<Limit> limits;           // of this hardware, where something newer is out
  std::vector<DriverRow> by_driver;    // two rows at least, or none
  std::string besides;                 // "Without a framework: cuda 12.9.1, cublas 12.9."
  std::vector<MeasuredRow> measured;   // the first of them
  std::string measured_unit, measured_rest;  // "... 13 more, down to 3.7 GFLOP/s"
  std::string own_title;               // "MEASURED ELSEWHERE with stackx on one H200 at m=n=k=8192"
  std::vector<EvidenceRow> own;        // what comes with stackx as measured with it; what this store measured is `measured`
  std::size_t own_shown = 0;           // the first of them, for people
  std::string evidence_title;
  std::vector<EvidenceRow> evidence;   // of others
  std::vector<std::string> remarks;    // "Taken for V100 SXM2 16GB; ..."
  std::vector<std::string> next;       // to know more: sentences and commands
  std::vector<std::string> options;    // of this command, that lead on
  std::string as_of;                   // of the facts
};

struct AdviceRequest {
  const AdviceOptions& options;
  const NotKnown& open;
  std::string command;  // as it was given, to be given again: " --hw v100 --workload matmul"
};

Advice make_advice(const HardwareAdvice& known, const Knowledge& knowledge, const AdviceRequest& request);

}  // namespace stackx::advisor
