// stackx: which combination of versions should run this workload on this hardware?
#include <fmt/core.h>

#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"

namespace {

constexpr const char* kFooter =
    R"(Exit codes: 0 done; 1 the answer is no (no valid stack, nothing measured, a claim that does not hold);
2 bad input or usage; 3 the environment failed (I/O, network, a missing program).
Database: --db, else $STACKX_DB, else $XDG_DATA_HOME/stackx/stackx.db.)";

int run(int argc, char** argv) {
  using namespace stackx;
  CLI::App app{
      "stackx answers, with measurements, which combination of versions should run a workload on "
      "given hardware."};
  app.footer(kFooter);
  app.require_subcommand(1);
  app.fallthrough();  // --db and --json may stand after the subcommand too
  app.set_version_flag("--version", "stackx " STACKX_VERSION);

  cli::Globals globals;
  globals.executable_directory = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  app.add_option("--db", globals.db, "Knowledge store to use")->type_name("FILE");
  app.add_flag("--json", globals.json,
               "Machine-readable output: one document, JSON Lines for streams");

  const cli::Command command(&app);
  cli::add_hw(command, globals);
  cli::add_catalog(command, globals);
  cli::add_resolve(command, globals);
  cli::add_inspect(command, globals);
  cli::add_advise(command, globals);
  cli::add_compare(command, globals);
  cli::add_effects(command, globals);
  cli::add_report(command, globals);
  cli::add_verify(command, globals);
  cli::add_env(command, globals);
  cli::add_import(command, globals);
  cli::add_export(command, globals);
  cli::add_merge(command, globals);
  cli::add_db(command, globals);
  cli::add_query(command, globals);
  cli::add_workload(command, globals);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked_for_help = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    app.exit(error);
    return asked_for_help ? 0 : static_cast<int>(ErrorCode::bad_input);
  }
  return globals.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const stackx::Error& error) {
    fmt::print(stderr, "stackx: {}\n", stackx::specs::to_utf8(error.what()));  // of a damaged file
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr,
               "stackx: {} (this is a fault of stackx or of the system: please report it)\n",
               error.what());
    return static_cast<int>(stackx::ErrorCode::environment);
  }
}
