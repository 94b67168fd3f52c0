#include "workspace/pip.hpp"

#include "inspector/run/passed_environment.hpp"

namespace stackx::workspace {

pypi::PipSettings pip_settings(const std::string& python, const std::string& index_url,
                               std::chrono::milliseconds patience) {
  const auto environment = inspector::installer_environment();
  return pypi::pip_settings(python, index_url, environment,
                            [&](std::vector<std::string> argv) -> std::optional<std::string> {
                              auto done = inspector::run({.argv = std::move(argv),
                                                          .environment = environment,
                                                          .directory = {},
                                                          .deadline = patience,
                                                          .stop = {}});
                              return done.ok() ? std::optional(std::move(done.out)) : std::nullopt;
                            });
}

}  // namespace stackx::workspace
