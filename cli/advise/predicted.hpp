// `resolve PROJECT --top K --effects`: the stacks with the highest predicted rate.
#pragma once

#include "advisor/predicted.hpp"
#include "cli/commands.hpp"
#include "cli/resolve/stack_writer.hpp"

namespace stackx::cli {

struct PredictedOptions {
  bool effects = false;
  advisor::SelectionOptions selection;
};
void add_predicted_options(Command command, PredictedOptions& options);

// One stack a line on stdout, the notes on stderr.
void write_predicted(const resolver::Resolver& resolver, const analysis::Effects& effects,
                     std::uint64_t count, bool json, const StackWriter::Sink& sink);

}  // namespace stackx::cli
