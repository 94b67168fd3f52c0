// stackx: which combination of versions should run this workload on this hardware?
#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <new>

#include "cli/commands.hpp"
#include "specs/error.hpp"
#include "specs/format/brief.hpp"
#include "specs/format/json.hpp"
#include "specs/format/masked.hpp"

namespace {

constexpr const char* kFooter =
    R"(Exit codes: 0 done; 1 the answer is no (no valid stack, nothing measured, a claim that does not hold);
2 bad input or usage; 3 the environment failed (I/O, network, a missing program).
Database: --db, else $STACKX_DB, else $XDG_DATA_HOME/stackx/stackx.db.)";

int run(int argc, char** argv) {
  using namespace stackx;
  const cli::Parser parser(
      "stackx answers, with measurements, which combination of versions should run a workload on "
      "given hardware.",
      kFooter, "stackx " STACKX_VERSION);
  const cli::Command command = parser.command();

  cli::Globals globals;
  globals.executable_directory = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  command.add_option("--db", globals.db, "Knowledge store to use").type_name("FILE");
  command.add_flag("--json", globals.json,
               "Machine-readable output: one document, JSON Lines for streams");

  cli::add_hw(command, globals);
  cli::add_catalog(command, globals);
  cli::add_resolve(command, globals);
  cli::add_inspect(command, globals);
  cli::add_check(command, globals);
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
  using stackx::specs::without_passwords;
  try {
    return run(argc, argv);
  } catch (const stackx::Error& error) {
    fmt::print(stderr, "stackx: {}\n",  // of a damaged file
               stackx::specs::brief(stackx::specs::to_utf8(stackx::specs::without_passwords(error.what()))));
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "stackx: there is too little memory for this; nothing that was stored is lost\n");
    return static_cast<int>(stackx::ErrorCode::environment);
  } catch (const std::exception& error) {
    fmt::print(stderr,
               "stackx: {} (this is a fault of stackx or of the system: please report it)\n",
               without_passwords(error.what()));
    return static_cast<int>(stackx::ErrorCode::environment);
  }
}
