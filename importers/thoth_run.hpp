// One result document of Thoth's: what a PI printed, where and when.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "specs/format/json.hpp"
#include "specs/project/workload.hpp"

namespace stackx::importers {

struct ThothRun {
  std::string failure;  // why there is no time; else ""
  double elapsed_ms = 0;  // of one call
  specs::Workload workload;
  std::string framework;          // PyPI's name: "tensorflow", "torch"; "" if not stated
  std::string framework_version;  // as the PI printed it at its start
  std::string cpu, python, os, cuda, date, host;
  std::map<std::string, std::string> details;
};

// `hwinfo`: the file beside it, for documents without that member; `script`: of the specification.
ThothRun read_thoth_run(const specs::Node& document, const std::optional<specs::Node>& hwinfo,
                        const std::string& script);

}  // namespace stackx::importers
