#include "workspace/context.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <system_error>

#include "specs/error.hpp"

namespace stackx::workspace {

bool Context::names_file(const std::filesystem::path& word) const {
  std::error_code error;
  return words_name_files && std::filesystem::is_regular_file(word, error);
}

std::filesystem::path Context::data_directory() const {
  namespace fs = std::filesystem;
  if (const char* chosen = std::getenv("STACKX_DATA"); chosen != nullptr && *chosen != '\0') {
    if (!fs::is_directory(chosen))
      throw broken_environment(fmt::format(
          "$STACKX_DATA: {} is no directory; unset it or name the directory of the catalogs",
          chosen));
    return chosen;
  }
  const fs::path places[] = {executable_directory / "../specs/data",
                             executable_directory / "../share/stackx/data"};
  for (const auto& place : places)
    if (fs::is_directory(place)) return fs::canonical(place);
  throw broken_environment(
      fmt::format("the catalogs that come with stackx are neither in {} nor in {}; set "
                  "$STACKX_DATA to their directory",
                  places[0].lexically_normal().string(), places[1].lexically_normal().string()));
}

std::filesystem::path Context::chart_library() const {
  std::error_code error;
  for (const char* place : {"share/stackx/report/plotly.min.js", "../share/stackx/report/plotly.min.js"})
    if (std::filesystem::is_regular_file(executable_directory / place, error)) return executable_directory / place;
  return {};
}

}  // namespace stackx::workspace
