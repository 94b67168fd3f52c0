#include "cli/hw_noise.hpp"

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/output/print.hpp"
#include "inspector/machine/noise/noise.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {

void add_hw_noise(Command hw, Globals& globals) {
  auto threads = std::make_shared<std::size_t>(1);
  const auto command = hw.add_subcommand(
      "noise", "What on this machine makes measurements noisy now, and what to change");
  command.add_option("--threads", *threads, "Threads of the inspections to come (0: all processors)")
      .type_name("N")
      .show_default();
  command.callback([threads, &globals] {
    const auto report = inspector::look_for_noise(*threads);
    if (globals.json)
      print_json(inspector::to_json(report));
    else
      workspace::write_out(inspector::table(report));
  });
}

}  // namespace stackx::cli
