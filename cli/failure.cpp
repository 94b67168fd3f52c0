#include "cli/failure.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <filesystem>
#include <new>
#include <system_error>

#include "specs/error.hpp"
#include "specs/format/brief.hpp"
#include "specs/format/masked.hpp"

namespace stackx::cli {
namespace {

// Further lines are indented: what a document holds cannot begin one as stackx does.
std::string indented(std::string text) {
  for (auto at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
    if (at + 1 < text.size() && text[at + 1] != ' ') text.insert(at + 1, "  ");
  return text;
}

Failure said(const Error& error) {
  return {static_cast<int>(error.code()), indented(specs::brief(specs::without_passwords(error.what())))};
}

// What the system says of a path that somebody gave, or of the place where this runs; never a fault of stackx.
Error of_file(const std::filesystem::filesystem_error& error) {
  constexpr std::size_t most = 200;
  std::string path = error.path1().string();
  if (path.size() > most) path = path.substr(0, most) + "...";
  const int code = error.code().value();
  const bool bad_path = code == ENOENT || code == ENOTDIR || code == EISDIR || code == ELOOP || code == ENAMETOOLONG;
  return {bad_path ? ErrorCode::bad_input : ErrorCode::environment,
          fmt::format("{}: {}; {}", path.empty() ? "a file" : path, error.code().message(),
                      bad_path ? "check the path" : "check permissions and disk")};
}

std::string unexpected(const std::exception& error) {
  if (const auto* system = dynamic_cast<const std::system_error*>(&error);
      system != nullptr && system->code() == std::errc::resource_unavailable_try_again)  // of a thread
    return "no thread can be begun: there is too little memory, or no process more is allowed; nothing that was stored is lost";
  return specs::without_passwords(error.what()) + " (this is a fault of stackx or of the system: please report it)";
}

}  // namespace

Failure failure_of(const std::exception_ptr& thrown) {
  constexpr int broken = static_cast<int>(ErrorCode::environment);
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return said(error);
  } catch (const std::filesystem::filesystem_error& error) {
    return said(of_file(error));
  } catch (const std::bad_alloc&) {
    return {broken, "there is too little memory for this; nothing that was stored is lost"};
  } catch (const std::exception& error) {
    return {broken, unexpected(error)};
  }
}

}  // namespace stackx::cli
