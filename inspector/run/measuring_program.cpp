#include "inspector/run/measuring_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "specs/error.hpp"
#include "specs/format/digest.hpp"

namespace stackx::inspector {
namespace {

// SHA-256 over lines "SHA-256  name" of the scripts, as sha256sum prints them.
std::string hash_of_scripts(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> scripts;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".py") scripts.push_back(entry.path());
  std::ranges::sort(scripts);
  std::string lines;
  for (const auto& script : scripts)
    lines += fmt::format("{}  {}\n", specs::sha256_file(script), script.filename().string());
  return specs::sha256(lines);
}

}  // namespace

MeasuringProgram::MeasuringProgram(const Pis& pis, std::optional<specs::PiProgram> planned)
    : pis_(pis), planned_(std::move(planned)) {
  if (!pis_.own.empty() && !planned_) planned_ = specs::foreign_program(pis_.own);
}

std::expected<specs::PiProgram, std::string> MeasuringProgram::running(const StackEnvironment& environment) {
  try {
    if (planned_ && !planned_->own) {
      if (const auto now = specs::sha256_file(pis_.own); now != planned_->sha256)
        return std::unexpected(fmt::format("{} changed since the campaign was planned: its SHA-256 was {}, it is {}",
                                           pis_.own.string(), planned_->sha256.substr(0, 12), now.substr(0, 12)));
      return *planned_;
    }
    const bool scripts = environment.python.has_value();
    auto& known = scripts ? python_ : native_;
    if (known.empty()) known = scripts ? hash_of_scripts(pis_.python) : specs::sha256_file(pis_.native);
    return specs::PiProgram{true, "", known};
  } catch (const Error& unreadable) {
    return std::unexpected(std::string(unreadable.what()));
  } catch (const std::filesystem::filesystem_error& unreadable) {
    return std::unexpected(std::string(unreadable.what()));
  }
}

}  // namespace stackx::inspector
