// stackx: which combination of versions should run this workload on this hardware?
#include <exception>
#include <filesystem>
#include <string>

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/output/fold.hpp"
#include "cli/version.hpp"
#include "specs/error.hpp"
#include "workspace/output.hpp"

using namespace stackx;

namespace {

constexpr const char* kFooter =
    "Exit codes: 0 done; 1 the answer is no (no valid stack, nothing measured, a claim that does not hold); 2 bad input or usage; "
    "3 the environment failed (I/O, network, a missing program).\n"
    "Database: --db, else $STACKX_DB, else $XDG_DATA_HOME/stackx/stackx.db.";

int run(int argc, char** argv) {
  cli::Globals globals;
  const cli::Parser parser(
      "stackx answers, with measurements, which combination of versions should run a workload on "
      "given hardware.",
      kFooter,
      [&] {
        globals.json = parser.command().given("--json");  // which is read after --version
        return cli::version_text(cli::build_commit(), globals);
      });
  const cli::Command command = parser.command();

  command.describe(
      {"stackx counts the software stacks that can work (framework, library, CUDA, cuDNN, driver, Python, settings, base image), "
       "runs a performance indicator in a sample of them, keeps every result in a store, and ranks the stacks with confidence "
       "intervals. For hardware that is not here it names the newest stack that runs there, unless evidence shows another to be "
       "faster, and what speed to expect.\n\n"
       "Options of all commands may stand behind the command, too. Answers go to standard output, progress and what else is said "
       "to standard error.",
       {{"What should run on hardware that is not here", "stackx advise --hw v100 --workload matmul"},
        {"Will this run there", "stackx check \"jax[cuda12]==0.6.2\" --hw v100"},
        {"Which stacks can work", "stackx resolve project.json"}}});
  globals.executable_directory = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  command.add_option("--db", globals.db, "Knowledge store to use").type_name("FILE");
  command.add_flag("--json", globals.json,
               "Machine-readable output: one document, JSON Lines for streams");

  cli::add_doctor(command, globals);
  cli::add_hw(command, globals);
  cli::add_catalog(command, globals);
  cli::add_resolve(command, globals);
  cli::add_inspect(command, globals);
  cli::add_cluster(command, globals);
  cli::add_check(command, globals);
  cli::add_advise(command, globals);
  cli::add_blame(command, globals);
  cli::add_watch(command, globals);
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
  cli::add_serve(command, globals);
  cli::add_workload(command, globals);
  cli::add_completion(command, globals);
  cli::add_man(command, globals);

  switch (parser.parse(argc, argv)) {
    case cli::Parser::Ended::ran:
      return globals.exit_code;
    case cli::Parser::Ended::helped:
      return 0;
    case cli::Parser::Ended::bad_words:
      break;
  }
  return static_cast<int>(ErrorCode::bad_input);
}

}  // namespace

int main(int argc, char** argv) {
  workspace::open_streams();
  try {
    const int exit_code = run(argc, argv);
    workspace::close_stdout();
    return exit_code;
  } catch (...) {
    const auto failure = cli::failure_of(std::current_exception());
    workspace::say("{}\n", workspace::Block{cli::folded_error("stackx: " + failure.text)});
    return failure.exit_code;
  }
}
