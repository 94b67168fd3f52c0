#include "inspector/runner.hpp"

#include <fmt/format.h>

#include "inspector/confinement/container.hpp"
#include "inspector/confinement/sandbox.hpp"
#include "specs/error.hpp"

namespace stackx::inspector {

std::string Runner::description() const { return fmt::format("{} ({})", name, confiner->description()); }

Exposure Runner::exposure() const { return confiner->available() ? Exposure::confined : Exposure::open; }

void check_runner(const std::string& name) {
  if (name != "local" && name != "container")
    throw bad_input(fmt::format("runner \"{}\": there are `local` and `container`, which takes podman or docker", name));
}

Runner make_runner(const Context& context, const std::string& name) {
  check_runner(name);
  if (name == "local")
    return {name, {}, std::make_unique<Sandbox>(context.sandbox ? Sandbox::probe(context.supervisor)
                                                                : Sandbox::none("not wanted", context.supervisor))};
  auto engine = find_engine({context.own_cache.empty() ? context.cache : context.own_cache, context.supervisor, context.say});
  if (!engine)
    throw broken_environment(fmt::format(
        "no container engine works here: {}; install podman and runc, or use the runner `local`",
        engine.error()));
  auto confiner = std::make_unique<Container>(*engine, context.supervisor);
  return {name, std::move(*engine), std::move(confiner)};
}

}  // namespace stackx::inspector
