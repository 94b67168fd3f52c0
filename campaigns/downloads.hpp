// What a plan would download, and what of it this machine has no use for: said before the first byte of it.
#pragma once

#include <cstdint>
#include <string>

#include "campaigns/job.hpp"
#include "specs/project/plan.hpp"

namespace stackx::campaigns {

// Wheels, each file once.
struct Downloads {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  bool sized = true;  // all files state their size

  std::string text() const;  // "25 wheels of 3.9 GB"
};

Downloads downloads(const specs::Plan& plan, const specs::Catalog& catalog);

// Of a Python project whose packages come with CUDA where no GPU can be seen, and none is asked for: how much that is, and how to
// have the same packages without. PyPI's torch is such a one, and says so nowhere.
struct OfNoUse {
  std::string text;     // "": nothing is
  bool is_much = false;  // a gigabyte or more, which nobody should wait for unasked
};
OfNoUse without_gpu(const specs::Plan& plan, const Job& job);

}  // namespace stackx::campaigns
