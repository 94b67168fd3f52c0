#include "inspector/context.hpp"

#include <fmt/format.h>

#include "inspector/process/process.hpp"
#include "specs/error.hpp"

namespace stackx::inspector {

namespace fs = std::filesystem;

Context resolved(Context context) {
  if (find_program(context.supervisor.string()).empty()) {
    throw broken_environment(fmt::format(
        "{}: not there or not executable; stackx-supervise belongs beside stackx, build it too",
        context.supervisor.string()));
  }
  context.supervisor = fs::canonical(context.supervisor);
  for (auto* pi : {&context.pis.native, &context.pis.python, &context.pis.own}) {
    std::error_code not_there;  // a missing PI is an outcome, not an error
    if (pi->empty()) continue;
    const auto real = fs::canonical(*pi, not_there);
    *pi = not_there ? fs::absolute(*pi) : real;
  }
  context.cache = fs::absolute(context.cache).lexically_normal();
  if (context.cache.string().find_first_of(":;") != std::string::npos) {
    throw broken_environment(
        fmt::format("{}: the loader cannot search a directory with \":\" or \";\" in its name; set "
                    "XDG_CACHE_HOME to another one",
                    context.cache.string()));
  }
  return context;
}

}  // namespace stackx::inspector
