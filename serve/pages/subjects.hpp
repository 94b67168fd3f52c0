// What each page shows. A subject has a file; all are called with the address that was asked, and throw Refusal.
#pragma once

#include <string>

#include "serve/pages/asked.hpp"

namespace stackx::serve::pages {

struct Page {
  std::string title;
  std::string html;      // of <main>, below its heading
  std::string lead = {};  // below the heading: a sentence
  int status = 200;
};

Page start_page(const Asked& asked, const Target& target);
Page campaigns_page(const Asked& asked, const Target& target);
Page campaign_page(const Asked& asked, const Target& target);
Page hardware_page(const Asked& asked, const Target& target);
Page one_hardware_page(const Asked& asked, const Target& target);
Page workloads_page(const Asked& asked, const Target& target);
Page one_workload_page(const Asked& asked, const Target& target);
Page stack_page(const Asked& asked, const Target& target);
Page regressions_page(const Asked& asked, const Target& target);
Page coverage_page(const Asked& asked, const Target& target);
Page failures_page(const Asked& asked, const Target& target);
Page sources_page(const Asked& asked, const Target& target);

Answer report(const Asked& asked, const Target& target);  // the whole page, with a policy of its own

}  // namespace stackx::serve::pages
