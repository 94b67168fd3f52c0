// What `stackx blame` is asked, made ready to be measured: both ends read, what lies between them, where it runs, and what
// measures it.
//
// Python: the ends' own, else --python, else this machine's `python3`; the runner `container` takes the image with it. A
// workload of stackx's own PIs is told the framework that both ends have, unless it names one.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blame/between/between.hpp"
#include "blame/ends/end.hpp"
#include "blame/trial.hpp"
#include "campaigns/job.hpp"
#include "specs/project/campaign.hpp"
#include "workspace/context.hpp"
#include "workspace/index/pip_index.hpp"

namespace stackx::blame {

struct BlameOptions {
  std::string old_end, new_end;
  std::string pi, files, workload;
  std::optional<Yardstick> metric;
  std::filesystem::path project;  // whose catalogs declare what two stacks of the store hold
  std::string python, index_url, pip = "python3";
  std::string device;  // GPU to measure on, as `inspect --device` takes it
  bool offline = false;
  Settings settings;
  specs::CampaignSpec limits;
};

struct Asked {
  End old_end, new_end;
  Between between;
  Question question;
  campaigns::Job job;                        // catalog and machine, for the inspector
  std::unique_ptr<workspace::PipIndex> index;  // none: the ends are stacks of a project
  std::string platform;                      // of wheels
  std::vector<std::string> reported;         // of versions that NEW has and OLD has not (specs/catalog/report.hpp)
  std::string where;                         // "on the NVIDIA H200", "on this machine's processors: no GPU is seen here"
};

// Throws Error(bad_input) for what cannot be measured.
Asked ask(const BlameOptions& options, const workspace::Context& context);

}  // namespace stackx::blame
