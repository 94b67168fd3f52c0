// The pages of `stackx serve`, for a browser: made here, as HTML that is complete without a script.
//
//   /                          "what should I run?", the pickers, the answer: ?hw=v100&workload=matmul
//   /campaigns, /campaigns/ID  how far they are, what failed, on which nodes
//   /hardware, /hardware/NAME  /workloads, /workloads/NAME  /stacks/ID
//   /regressions  /coverage  /failures  /sources
//   /report                    `stackx report`, as it is: ?hw=...&workload=...
//   /static/page.css, page.js
//
// A page asks the Asker the same questions as the API does, hands on the parameters of its own address, and lays out the JSON
// that comes back: it cannot say anything else than the API and the command line, and refuses in their words. Campaigns alone,
// of which no question tells, are read from the store. Rejected: pages made by a script in the browser out of /v1 (blank
// without it, and a second program to test); a template engine (frame.html and functions do).
#pragma once

#include <filesystem>
#include <string>

#include "serve/asker.hpp"

namespace stackx::serve {

class Pages {
 public:
  // Both outlive it.
  Pages(const Asker& asker, const std::filesystem::path& store) : asker_(asker), store_(store) {}

  // The kind of page, "/hardware/NAME": what metrics count by. "": there is none such.
  static std::string route(const Target& target);
  // The content type is that of what is there: a style, too. Never throws; takes its time, as questions do.
  Answer answer(const Target& target) const;
  // What is answered instead, for who reads HTML.
  static std::string refusal(int status, const std::string& words);

 private:
  const Asker& asker_;
  const std::filesystem::path& store_;
};

}  // namespace stackx::serve
