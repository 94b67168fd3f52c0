// One pass over a project (`stackx watch`): what is new, is it faster than what is advised, what changed.
//
//   1. the catalogs are brought up to date                      refresh/refresh.hpp
//   2. a campaign that an earlier pass did not end goes on; else newcomers are found, and the smallest campaign is planned
//      that settles each of them: the advised stack, its sentinel, and a stack for each     newcomers.hpp, settling.hpp
//   3. it runs, every result kept as `inspect` keeps it
//   4. what changed is told, and noted as told                  report/report.hpp, told.hpp
// The store is all the state there is: whoever has it can run the next pass, and kill -9 at any moment costs at most the
// inspection under way. What `inspect`, `cluster collect` or `merge` bring into the store counts as measured here, too.
// Nothing of ours schedules: a timer starts the pass (timer.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "watch/asked.hpp"
#include "watch/report/report.hpp"
#include "workspace/context.hpp"

namespace stackx::watch {

class Pass {
 public:
  // How it speaks of itself while it runs, a line each.
  using SayLine = std::function<void(const std::string& line)>;

  // Throws Error(bad_input) for what cannot be watched, and where another pass over it is under way.
  Pass(const WatchOptions& options, const workspace::Context& context, SayLine say);
  ~Pass();

  Report run();
  void was_told();  // the report is out: what is in it is not told again

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stackx::watch
