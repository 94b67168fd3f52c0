#include "specs/format/real_file.hpp"

#include <fmt/format.h>

#include "specs/error.hpp"

namespace stackx::specs {

constexpr int most_links = 40;  // as many as the kernel follows

std::filesystem::path real_file(const std::filesystem::path& file) {
  std::filesystem::path real = file;
  std::error_code missing;
  for (int links = 0; std::filesystem::is_symlink(real, missing); ++links) {
    if (links == most_links)
      throw bad_input(fmt::format("{}: a link that leads in a circle, or over more than {} links; name the file itself",
                                  file.string(), most_links));
    const auto target = std::filesystem::read_symlink(real, missing);
    if (missing)
      throw broken_environment(fmt::format("{}: a link that cannot be read: {}", real.string(), missing.message()));
    real = real.parent_path() / target;
  }
  return real;
}

}  // namespace stackx::specs
