// What several subcommands ask of the store: the measurements of a workload on some hardware.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "workspace/asked_hardware.hpp"
#include "cli/commands.hpp"
#include "advisor/leading_stacks.hpp"
#include "store/store.hpp"

namespace stackx::cli {

struct SelectionOptions {
  std::string hw = "host", workload = "matmul", campaign;
  Wanted stacks{.least = 0, .most = 0};  // where much was measured; all of them
};

void add_selection_options(CLI::App& command, SelectionOptions& options);

// --delta: differences below this many percent do not matter.
void add_delta_option(CLI::App& command, double& percent);

struct Selection {
  specs::Workload asked;
  AskedHardware hardware;
  std::string hw;         // its name: the host's microarchitecture for "host", else the name given
  std::string this_host;  // fingerprint
  std::vector<store::Measurement> measurements;
  std::vector<std::string> notes;                    // what was left out
  bool leading = false;                              // of many stacks, those that lead
  bool one_machine = false;                          // asked for by its fingerprint
  std::map<std::string, specs::CampaignSpec> races;  // campaigns among them that raced
};

Selection select(const SelectionOptions& options, const Globals& globals);
// The same, where this machine and the accelerators were already looked at.
Selection select(const SelectionOptions& options, const specs::Host& host,
                 const specs::Accelerators& accelerators, const Globals& globals);

// What one could ask for instead, where there are no measurements.
std::string what_is_measured(const Globals& globals);

// Says that there is nothing, and what there is; the answer is no. `empty` is the rest of the
// document of --json.
void nothing_measured(const Selection& selection, const nlohmann::json& empty, Globals& globals);

}  // namespace stackx::cli
