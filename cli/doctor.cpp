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
      "doctor", "What can this machine do, and what to do about the rest? Changes nothing. Exit code 1 if it cannot advise, or "
                "not measure and keep results");
  command.describe({"Each thing that stackx needs is tried as it will be used: a line says what works, and where something does not, "
                    "what that costs and what to do about it.",
                    {{"What can be done here", "stackx doctor"}, {"Where there is no network", "stackx doctor --offline"}}});
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
