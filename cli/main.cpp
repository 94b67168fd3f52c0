// stackx: which combination of versions should run this workload on this hardware?
#include <cerrno>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>

#include "cli/commands.hpp"
#include "cli/version.hpp"
#include "specs/error.hpp"
#include "specs/format/brief.hpp"
#include "specs/format/masked.hpp"
#include "workspace/output.hpp"

using namespace stackx;

namespace {

constexpr const char* kFooter =
    R"(Exit codes: 0 done; 1 the answer is no (no valid stack, nothing measured, a claim that does not hold);
2 bad input or usage; 3 the environment failed (I/O, network, a missing program).
Database: --db, else $STACKX_DB, else $XDG_DATA_HOME/stackx/stackx.db.)";

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

// Further lines are indented: what a document holds cannot begin one as stackx does.
std::string indented(std::string text) {
  for (auto at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
    if (at + 1 < text.size() && text[at + 1] != ' ') text.insert(at + 1, "  ");
  return text;
}

int said(const Error& error) {
  const std::string text = indented(specs::brief(specs::without_passwords(error.what())));
  workspace::say("stackx: {}\n", workspace::Block{text});
  return static_cast<int>(error.code());
}

// What the system says of a path that somebody gave, or of the place where this runs; never a fault of stackx.
Error of_file(const std::filesystem::filesystem_error& error) {
  constexpr std::size_t most = 200;
  std::string path = error.path1().string();
  if (path.size() > most) path = path.substr(0, most) + "...";
  const int code = error.code().value();
  const bool bad_path = code == ENOENT || code == ENOTDIR || code == EISDIR || code == ELOOP || code == ENAMETOOLONG;
  return {bad_path ? ErrorCode::bad_input : ErrorCode::environment,
          fmt::format("{}: {}; {}", path.empty() ? "a file" : path, error.code().message(),
                      bad_path ? "check the path" : "check permissions and disk")};
}

std::string unexpected(const std::exception& error) {
  if (const auto* system = dynamic_cast<const std::system_error*>(&error);
      system != nullptr && system->code() == std::errc::resource_unavailable_try_again)  // of a thread
    return "no thread can be begun: there is too little memory, or no process more is allowed; nothing that was stored is lost";
  return specs::without_passwords(error.what()) + " (this is a fault of stackx or of the system: please report it)";
}

}  // namespace

int main(int argc, char** argv) {
  workspace::open_streams();
  try {
    const int exit_code = run(argc, argv);
    workspace::close_stdout();
    return exit_code;
  } catch (const Error& error) {
    return said(error);
  } catch (const std::filesystem::filesystem_error& error) {
    return said(of_file(error));
  } catch (const std::bad_alloc&) {
    workspace::say("stackx: there is too little memory for this; nothing that was stored is lost\n");
    return static_cast<int>(ErrorCode::environment);
  } catch (const std::exception& error) {
    workspace::say("stackx: {}\n", unexpected(error));
    return static_cast<int>(ErrorCode::environment);
  }
}
