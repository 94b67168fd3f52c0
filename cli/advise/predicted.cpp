#include "cli/advise/predicted.hpp"

#include <nlohmann/json.hpp>

#include "analysis/text/table.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/output/print.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {

void add_predicted_options(Command command, PredictedOptions& options) {
  command.add_flag("--effects", options.effects,
                   "--top by predicted rate, from the effects of versions measured for --workload "
                   "on --hw (see `stackx effects`)");
  add_selection_options(command, options.selection);
  for (const char* name : {"--hw", "--workload", "--campaign"})
    command.option(name).needs("--effects");
}

void write_predicted(const resolver::Resolver& resolver, const analysis::Effects& effects,
                     std::uint64_t count, bool json, const StackWriter::Sink& sink) {
  const auto stacks = advisor::best_predicted(resolver, effects, count);
  for (const advisor::PredictedStack& one : stacks) {
    if (sink) sink(one.stack);
    if (json)
      print_json(to_json(one, effects));
    else
      workspace::print("{}\n", advisor::line(one, effects));
  }
  workspace::flush_out();
  for (const std::string& note : advisor::prediction_notes(resolver, effects, stacks))
    workspace::say("{}\n", workspace::Block{analysis::wrap(note, 0, output_width(analysis::page_width))});
}

}  // namespace stackx::cli
