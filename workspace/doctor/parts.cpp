#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "inspector/paths.hpp"
#include "inspector/process/passed_environment.hpp"
#include "inspector/run/pi_command.hpp"
#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/package/package.hpp"
#include "workspace/doctor/outside.hpp"
#include "workspace/doctor/probes.hpp"
#include "workspace/load.hpp"
#include "workspace/this_machine.hpp"
#include "workspace/words.hpp"

namespace stackx::workspace {
namespace {

namespace fs = std::filesystem;

// Why a program of ours does not run; "" if it does. Its answer goes into `version`.
std::string trouble_with(const fs::path& program, const char* option, std::string& version) {
  const auto name = program.filename().string();
  const auto answer = ask({program.string(), option}, inspector::bare_environment());
  std::error_code error;
  if (!answer.there) return fs::exists(program, error) ? name + " may not be executed" : name + " is missing";
  if (!answer.ok) return fmt::format("{} does not run: {}", name, answer.why);
  version = version_in(answer.text);
  return "";
}

Finding programs(const Context& context) {
  const auto pis = find_pis(context.executable_directory);
  std::string version, none;
  auto why = trouble_with(pis.native, "--version", version);
  if (why.empty()) why = trouble_with(context.executable_directory / "stackx-supervise", "--true", none);
  if (!why.empty())
    return {"programs", Status::broken, why, "nothing can be measured here",
            "Install stackx whole: stackx-pi and stackx-supervise belong beside the program stackx"};
  std::error_code error;
  if (!fs::is_regular_file(pis.python / "bootstrap.py", error))
    return {"programs", Status::poor, fmt::format("stackx-pi {} and stackx-supervise run; the PIs in Python are missing", version),
            "frameworks cannot be measured", "Install stackx whole: share/stackx/python belongs beside its bin"};
  return {"programs", Status::ok, fmt::format("stackx-pi {} and stackx-supervise run", version), "", ""};
}

struct Facts {
  std::size_t packages = 0;
  std::string as_of;
};

// All of them are read, so that what is cut short or from another version is found here.
Facts facts_in(const fs::path& data) {
  Facts facts;
  for (const auto& directory : {data / "generated", inspector::data_directory() / "generated"})
    for (const auto& file : specs::json_files(directory)) {
      const auto package = specs::load_package(file);
      if (directory.parent_path() == data) ++facts.packages;
      facts.as_of = std::max(facts.as_of, package.as_of);
    }
  return facts;
}

Finding catalogs(const Context& context) {
  try {
    const auto data = context.data_directory();
    const auto gpus = specs::load_accelerators(data).all().size();
    const auto processors = microarchitectures(context).all().size();
    const auto facts = facts_in(data);
    const auto found = fmt::format("{} packages, {} GPUs and other accelerators, {} processors; facts as of {}", facts.packages,
                                   gpus, processors, facts.as_of.empty() ? "an unknown day" : facts.as_of);
    if (!is_stale(facts.as_of, today())) return {"catalogs", Status::ok, found, "", ""};
    return {"catalogs", Status::poor, found, "what came out since is not known", "stackx catalog refresh"};
  } catch (const Error& error) {
    return {"catalogs", Status::broken, brief_words(error.what(), 300), "nothing can be advised, checked or resolved",
            "Install stackx whole, or name the directory of its catalogs in $STACKX_DATA"};
  }
}

Finding charts(const Context& context) {
  if (!context.chart_library().empty()) return {"charts", Status::ok, "Plotly, for the pages of stackx report", "", ""};
  return {"charts", Status::poor, "stackx was built without Plotly", "reports have tables, but no charts",
          "Install plotly (pip install plotly) and give its package_data/plotly.min.js to stackx report --charts"};
}

}  // namespace

Findings look_at_parts(const Context& context) { return {programs(context), catalogs(context), charts(context)}; }

}  // namespace stackx::workspace
