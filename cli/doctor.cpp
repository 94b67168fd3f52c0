// stackx doctor: what can this machine do, and what to do about the rest?
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/output/doctor.hpp"
#include "cli/output/print.hpp"
#include "workspace/doctor/abilities.hpp"
#include "workspace/doctor/doctor.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {

void add_doctor(Command app, Globals& globals) {
  auto how = std::make_shared<workspace::Examination>();
  const auto command = app.add_subcommand(
      "doctor", "What can this machine do, and what to do about the rest?");
  command.describe(
      {"It tries what would be used (sandbox, containers, uv, package index, GPU, Slurm, kubectl, store), within eight seconds, "
       "and changes nothing. Exit code 1 if this machine cannot advise, or not measure and keep results.",
       {{"What this machine can do", "stackx doctor"}, {"Without asking the package index", "stackx doctor --offline"}}});
  command.add_flag("--offline", how->offline, "Do not ask whether the package index answers");
  command.callback([how, &globals] {
    const auto findings = workspace::examine(globals, *how);
    if (globals.json)
      print_json(doctor_json(findings));
    else
      workspace::write_out(doctor_text(findings, output_width()));
    globals.exit_code = workspace::abilities(findings).basic ? 0 : 1;
  });
}

}  // namespace stackx::cli
