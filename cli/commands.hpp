// The command line: one file a subcommand, composed in main.cpp. Each declares its options, makes one call, and prints
// text or JSON. Data goes to stdout, progress and log to stderr.
#pragma once

#include "cli/options/options.hpp"
#include "workspace/context.hpp"

namespace stackx::cli {

inline constexpr int interrupted_exit = 130;  // as of shells: 128 + SIGINT

// What main knows and every subcommand may need. Not global: main owns one and passes it on.
struct Globals : workspace::Context {
  bool json = false;  // --json: one document (JSON Lines for streams)
  int exit_code = 0;  // 0 done, 1 the answer is no, 2 bad input or usage, 3 the environment failed, 130 interrupted
};

void add_doctor(Command app, Globals& globals);
void add_hw(Command app, Globals& globals);
void add_catalog(Command app, Globals& globals);
void add_check(Command app, Globals& globals);
void add_resolve(Command app, Globals& globals);
void add_inspect(Command app, Globals& globals);
void add_advise(Command app, Globals& globals);
void add_blame(Command app, Globals& globals);
void add_watch(Command app, Globals& globals);
void add_cluster(Command app, Globals& globals);
void add_compare(Command app, Globals& globals);
void add_effects(Command app, Globals& globals);
void add_report(Command app, Globals& globals);
void add_verify(Command app, Globals& globals);
void add_env(Command app, Globals& globals);
void add_import(Command app, Globals& globals);
void add_export(Command app, Globals& globals);
void add_merge(Command app, Globals& globals);
void add_db(Command app, Globals& globals);
void add_query(Command app, Globals& globals);
void add_serve(Command app, Globals& globals);
void add_workload(Command app, Globals& globals);
void add_completion(Command app, Globals& globals);
void add_man(Command app, Globals& globals);

}  // namespace stackx::cli
