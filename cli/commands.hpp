// The command line: one file a subcommand, composed here. Data goes to stdout, progress and log to
// stderr.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

namespace stackx::cli {

// What main knows and every subcommand may need. Not global: main owns one and passes it on.
struct Globals {
  std::string db;     // --db
  bool json = false;  // --json: one document (JSON Lines for streams)
  int exit_code = 0;  // 0 done, 1 the answer is no, 2 bad input or usage, 3 the environment failed
  std::filesystem::path executable_directory;  // stackx-pi and stackx-supervise stand here
  std::filesystem::path data_directory;        // specs/data, share/stackx/data or $STACKX_DATA
};

void add_hw(CLI::App& app, Globals& globals);
void add_catalog(CLI::App& app, Globals& globals);
void add_resolve(CLI::App& app, Globals& globals);
void add_inspect(CLI::App& app, Globals& globals);
void add_advise(CLI::App& app, Globals& globals);
void add_compare(CLI::App& app, Globals& globals);
void add_effects(CLI::App& app, Globals& globals);
void add_report(CLI::App& app, Globals& globals);
void add_verify(CLI::App& app, Globals& globals);
void add_env(CLI::App& app, Globals& globals);
void add_export(CLI::App& app, Globals& globals);
void add_merge(CLI::App& app, Globals& globals);
void add_query(CLI::App& app, Globals& globals);
void add_db(CLI::App& app, Globals& globals);
void add_import(CLI::App& app, Globals& globals);
void add_workload(CLI::App& app, Globals& globals);

// Directory of the catalogs that come with stackx; throws Error(environment) naming where it
// looked.
std::filesystem::path find_data_directory(const std::filesystem::path& executable_directory);

}  // namespace stackx::cli
