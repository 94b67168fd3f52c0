#include "workspace/index/pip.hpp"

#include "inspector/process/passed_environment.hpp"
#include "specs/error.hpp"

namespace stackx::workspace {

pypi::PipSettings pip_settings(const pypi::PipOptions& options, std::chrono::milliseconds patience) {
  const auto environment = inspector::installer_environment();
  return pypi::pip_settings(options, environment, [&](std::vector<std::string> argv) -> std::optional<std::string> {
    auto done = inspector::run({.argv = std::move(argv),
                                .environment = environment,
                                .directory = {},
                                .deadline = patience,
                                .stop = {}});
    return done.ok() ? std::optional(std::move(done.out)) : std::nullopt;
  });
}

pypi::HttpSettings http_settings(const pypi::PipSettings& settings) {
  return {.ca_file = settings.ca_file, .timeout = settings.timeout, .retries = settings.retries};
}

pypi::IndexSettings index_settings(const pypi::PipSettings& settings, bool offline) {
  if (settings.no_index && settings.find_links.empty())
    throw bad_input("--no-index (or PIP_NO_INDEX) without --find-links (or PIP_FIND_LINKS): there is nowhere to look; "
                    "name a directory of wheels with --find-links, or leave --no-index out");
  if (settings.no_index) return {.url = "", .offline = offline, .find_links = settings.find_links};
  return {.url = settings.index_url,
          .offline = offline,
          .extra_urls = settings.extra_index_urls,
          .find_links = settings.find_links};
}

}  // namespace stackx::workspace
