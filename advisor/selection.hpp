// What several subcommands ask of the store: the measurements of a workload on some hardware.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "advisor/leading_stacks.hpp"
#include "store/store.hpp"
#include "workspace/asked/hardware.hpp"
#include "workspace/context.hpp"

namespace stackx::analysis {
struct Ranking;
}

namespace stackx::advisor {

struct SelectionOptions {
  std::string hw = "host", workload, campaign;  // workload "": see name_workload
  std::string pi;  // whose results: the file or the SHA-256 of a program that is not stackx's own; "": stackx's own
  Wanted stacks{.least = 0, .most = 0};  // where much was measured; all of them
  store::Sampling sampling = {};         // `most` 0: no sample, all is read
  bool all_workloads = false;            // that match: none is chosen
  store::Yardsticks yardsticks = {};     // to compare by, besides rates
};

struct Selection {
  specs::Workload asked;
  workspace::AskedHardware hardware;
  std::string hw;         // its name: the host's microarchitecture for "host", else the name given
  std::string this_host;  // fingerprint
  std::vector<store::Measurement> measurements;
  std::vector<std::string> notes;                    // what was left out
  std::vector<std::string> left_out;                 // of that, what PIs measured that are not stackx's own
  bool read_all = false;                             // that matches `asked`, of all its sizes
  bool leading = false;                              // of many stacks, those that lead
  std::optional<analysis::Population> population;    // where a sample was read
  bool one_machine = false;                          // asked for by its fingerprint
  std::map<std::string, specs::CampaignSpec> races;  // campaigns among them that raced
  std::map<std::string, specs::PiProgram> programs;  // that measured them, where these are not stackx's own, by SHA-256

  // Of a ranking of `measurements`: whose program is as its plan has it, with what it is started with.
  void complete(analysis::Ranking& ranking) const;
};

Selection select(const SelectionOptions& options, const workspace::Context& context);
// The same, where this machine and the accelerators were already looked at.
Selection select(const SelectionOptions& options, const specs::Host& host,
                 const specs::Accelerators& accelerators, const workspace::Context& context);

// Where none is named, the workload that is meant: what was measured on that hardware by these PIs, if that is one and no
// matmul, which is said on stderr; of a `project` of Python that asks for what serves models, that; else matmul. To be called
// before select().
void name_workload(SelectionOptions& options, const workspace::Context& context, const std::filesystem::path& project = {});

// Throws Error(bad_input) where the store knows no campaign whose id begins so; "" asks for none.
void check_campaign(const std::string& campaign, const store::Store& store);

// "--hw 'Tesla V100' --workload matmul", as a shell takes it: the words may be a document's.
std::string selecting(const std::string& hw, const std::string& workload);

// " --read 0", where it is not as usual.
std::string sampling_text(const store::Sampling& sampling);

// What one could ask for instead, where there are no measurements of what was asked for.
std::string what_is_measured(const Selection& selection, const workspace::Context& context);

}  // namespace stackx::advisor
