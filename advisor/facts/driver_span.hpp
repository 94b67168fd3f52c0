// Which drivers of NVIDIA drive a GPU, and all of several: from the first that knows the newest of them to the end of the last branch
// that still knows the oldest. A branch is a driver's first number: 580.95.05 is of branch 580.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "specs/catalog/first_driver.hpp"

namespace stackx::specs {
class DriverFacts;
}

namespace stackx::advisor {

struct DriverSpan {
  std::string gpu;                       // "V100"
  std::string compute_capability = {};   // "7.0"
  std::string since = {};                // the first: "384.81"; "": nobody says, or it has drivers of its own (Jetson)
  std::string last_branch = {};          // "580"; "": none has been named the last
  specs::FirstDriver product = {};       // which of other branches are as new as it
  bool data_center = false;

  bool holds(const std::string& driver) const;  // of a branch ("570") some driver
  std::string text() const;  // "from 384.81 to the end of branch 580"
};

// `since` and `last_branch` as the facts have them for that product, else for its compute capability.
DriverSpan driver_span(const specs::DriverFacts& drivers, const std::string& gpu, const std::string& compute_capability,
                       const specs::FirstDriver& product = {});

// What is in all of them, nothing where no driver is; of spans that are all known.
std::optional<DriverSpan> common_span(const std::vector<DriverSpan>& spans);

struct DriverAnswer {
  std::string text;             // one sentence that begins with Yes, No or Unknown where a driver was asked about
  std::optional<bool> drives_all;  // nothing: unknown
};

// Whether `driver` drives all of them; of "" which drivers do.
DriverAnswer driver_answer(const std::vector<DriverSpan>& spans, const std::string& driver);

// Throws Error(bad_input) for what no driver is called, a CUDA among them: --driver 12.4. "" is any.
void check_driver(const specs::DriverFacts& drivers, const std::string& driver);

}  // namespace stackx::advisor
