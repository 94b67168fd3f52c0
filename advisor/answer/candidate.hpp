// The newest stack that is valid for what is asked: one release of a framework, in the build that runs on the GPU and the
// driver, with what an installer takes along; found release by release, each judged by check.
//
// A release counts in the form that the usual index serves before builds of other indexes, of these the newest CUDA
// first (without a GPU the build for processors first). A build that nobody is known to have seen (facts: exists) counts only
// where another patch release of the same minor version has it: what cannot be installed is no advice. Rejected: what `check` calls the nearest, which changes as
// little as it can of what was asked for; here nothing was.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/check/check.hpp"
#include "advisor/recipes/pinned.hpp"
#include "specs/catalog/advisory.hpp"

namespace stackx::advisor {

struct Wish {
  Question question;  // the machine, and what the user's project requires (the framework's own range, too)
  std::string root;   // the framework: "torch"
  std::string cuda;   // builds for this CUDA alone: "11.8", "12"; "": any
  std::string exactly = {};  // this public version alone: "2.2.0"; "": any
  const specs::Advisories* advisories = nullptr;  // releases that these name do not count
};

struct Candidate {
  std::string package, version;    // "torch", "2.14.1+cu126"
  std::string released;            // "2026-09-30"; "" if nobody says
  std::string cuda, cudnn;         // "12.6", "9.10.2"; "": none, or not known
  std::string least_driver;        // "525.60.13"; "": no driver needed, or not known
  Pinned pinned;
  Checked checked;                 // of what is pinned
  std::vector<std::string> unsure;  // newer builds that probably exist, and nobody has seen: "2.15.0+cu126"

  // What it is called: "torch 2.14.1+cu126 (CUDA 12.6, cuDNN 9.10.2)"
  std::string text() const;
  std::string name() const;  // "torch 2.14.1+cu126"
};

std::string three_numbers(const std::string& version);  // "9.10.2.21" -> "9.10.2"

// Nothing where no release of it runs there.
std::optional<Candidate> newest_candidate(const Knowledge& knowledge, const Wish& wish);

// What the user runs, as it stands in a lock: the question's own packages, judged; `root` among them.
Candidate as_it_is(const Knowledge& knowledge, const Question& question, const std::string& root, Checked checked);

// One row for each range of drivers that another release is the newest for, newest drivers first; the first is
// `newest`. At most `most` rows.
struct DriverRow {
  std::string driver;  // at least: "525.60.13"
  Candidate candidate;
};
std::vector<DriverRow> by_driver(const Knowledge& knowledge, const Wish& wish, const Candidate& newest, std::size_t most = 4);

}  // namespace stackx::advisor
