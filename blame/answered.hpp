// What `stackx blame` is asked, measured and answered: the search, turned to what breaks the new end where that does not run,
// the walk over versions, and the answer kept for reports.
#pragma once

#include <optional>

#include "blame/asked.hpp"
#include "blame/report/finding.hpp"

namespace stackx::blame {

struct Answering {
  std::optional<double> minutes;  // no round begins later
  bool versions = false;          // walk those of the change with the largest effect
  bool offline = false;
};

struct Answered {
  Trial trial;
  Finding finding;
};

// SIGINT and SIGTERM end it in order. Ends that are one stack are answered without measuring.
Answered answered(Asked& asked, const Answering& how, const Named& named, const workspace::Context& context, const SayLine& say);

}  // namespace stackx::blame
