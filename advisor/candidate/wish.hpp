// What is asked of an answer's Python packages: the project's or lock's own, the machine, what the user keeps, and the
// framework that decides.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/asked_space.hpp"
#include "advisor/check/question.hpp"
#include "specs/catalog/advisory.hpp"

namespace stackx::advisor {

struct Candidate;
class Knowledge;

struct Wish {
  Question question;  // the machine, and what the user's project requires (the framework's own range, too)
  std::string root;   // the framework: "torch"
  std::string cuda;   // builds for this CUDA alone: "11.8", "12"; "": any
  std::string exactly = {};  // this public version alone: "2.2.0"; "": any
  const specs::Advisories* advisories = nullptr;  // releases that these name do not count
};

struct WishFrom {
  const workspace::AskedHardware& hardware;
  const specs::Workload& workload;
  const specs::WorkloadFamilies& families;
  const ValidSpace* space;  // with the project of stackx that was given; null: none
};

// Nothing where what is asked for is no Python package that check knows: a processor's libraries. Throws Error(bad_input), also
// where the workload names another framework than the project asks for.
std::optional<Wish> wish_of(const SpaceOptions& options, const WishFrom& from, const Knowledge& knowledge,
                            const workspace::Context& context);

// What the workload names as its framework; else what its family is usually run with, the most usual first: packages or
// components; empty where nothing is known.
std::vector<std::string> usual_for(const specs::WorkloadFamilies& families, const specs::Workload& workload,
                                   const workspace::AskedHardware& hardware);

// What the project asks for of the framework where it names one version: "torch==2.9.1"; else "".
std::string pin_of(const Knowledge& knowledge, const Wish& wish);

// What goes wrong where somebody types `pip install FRAMEWORK`: a sentence; "" if it brings what the candidate is, or
// the project pins a version.
std::string plain_install_brings(const Knowledge& knowledge, const Wish& wish, const Candidate& candidate);

}  // namespace stackx::advisor
