// What a campaign's runs are held by: bubblewrap on this machine (`local`), or a container of its engine (`container`).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "inspector/cache/exposure.hpp"
#include "inspector/confinement/confinement.hpp"
#include "inspector/confinement/engine.hpp"
#include "inspector/context.hpp"

namespace stackx::inspector {

struct Runner {
  std::string name;
  std::optional<Engine> engine;  // of the container runner; images are made with it, too
  std::unique_ptr<Confiner> confiner;

  std::string description() const;  // "local (bubblewrap 0.8.0)", "container (podman 4.3.1, runc, ...)"
  Exposure exposure() const;        // of what it shows to a run
};

// Throws Error(bad_input) for what is no runner.
void check_runner(const std::string& name);
// Throws Error(environment) if a container engine is asked for and none works here, Error(bad_input) for other names.
Runner make_runner(const Context& context, const std::string& name);

}  // namespace stackx::inspector
