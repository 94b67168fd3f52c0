// A release of a framework in one build, with what an installer takes along, judged by check: what an answer recommends,
// or what the user runs.
#pragma once

#include <string>
#include <vector>

#include "advisor/check/check.hpp"
#include "advisor/recipes/pinned.hpp"

namespace stackx::advisor {

struct Candidate {
  std::string package, version;    // "torch", "2.14.1+cu126"
  std::string released;            // "2026-09-30"; "" if nobody says
  std::string cuda, cudnn;         // "12.6", "9.10.2"; "": none, or not known
  std::vector<std::string> beside;  // other frameworks that were asked for: "vllm 0.33.0"
  std::string least_driver;        // "525.60.13"; "": no driver needed, or not known
  Pinned pinned;
  Checked checked;                 // of what is pinned
  std::vector<std::string> unused;  // NVIDIA's libraries for another CUDA, which it does not load: "nvidia-cudnn-cu12 9.1.0.70"
  std::vector<std::string> unsure;  // newer builds that probably exist, and nobody has seen: "2.15.0+cu126"

  // What it is called: "torch 2.14.1+cu126 (CUDA 12.6, cuDNN 9.10.2)"
  std::string text() const;
  std::string name() const;         // "torch 2.14.1+cu126"
  std::string unused_text() const;  // a sentence; "" where there is nothing unused
  std::string with_others() const;  // "torch 2.14.0 with vllm 0.33.0"
};

// The question's own packages as they stand, judged; `root` among them: what the user runs.
Candidate as_it_is(const Knowledge& knowledge, const Question& question, const std::string& root, Checked checked);

}  // namespace stackx::advisor
