// stackx-pi: runs one performance indicator in this process and prints one JSON object (see
// pi.hpp). Exit status: 0 the JSON is there; 2 usage; 3 the library cannot be loaded, the GPU failed, or
// memory ran short though it seemed to be there (memory.hpp).
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "kernels/help.hpp"
#include "kernels/pi.hpp"
#include "kernels/shared_object.hpp"

namespace stackx::kernels {
namespace {

enum Exit { kDone = 0, kUsage = 2, kEnvironment = 3 };

PiArguments parse(const std::vector<std::string>& words) {
  PiArguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) {
      arguments.words.push_back(words[i]);
      continue;
    }
    const std::string& option = words[i];
    if (option != "--library" && option != "--component" && option != "--with")
      throw UsageError(
          fmt::format("unknown option {}; known are --library, --component, --with", option));
    if (i + 1 == words.size()) throw UsageError(fmt::format("{} needs a value", option));
    const std::string& value = words[++i];
    if (option == "--library") arguments.library = value;
    if (option == "--component") arguments.component = value;
    if (option == "--with") arguments.with.push_back(value);
  }
  return arguments;
}

Pi find_pi(const std::string& name) {
  std::vector<std::string> names;
  for (Pi& pi : all_pis()) {
    if (pi.name == name) return pi;
    names.push_back(pi.name);
  }
  const std::string near = nearest(name, names);
  throw UsageError(
      fmt::format("unknown performance indicator \"{}\"; {}", name,
                  near.empty() ? "see stackx-pi list" : fmt::format("did you mean \"{}\"?", near)));
}

// Stdout is for the document alone. What a library prints there (MKL_VERBOSE, complaints) goes to
// stderr.
std::FILE* take_stdout() {
  const int copy = dup(STDOUT_FILENO);
  if (copy < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return stdout;
  return fdopen(copy, "w");
}

int run(const std::vector<std::string>& words) {
  const std::string command = words.empty() ? "" : words[0];
  if (command == "--help" || command == "-h") return fmt::print("{}", help_text(stdout_width())), kDone;
  if (command == "--version") return fmt::print("stackx-pi {}\n", STACKX_VERSION), kDone;
  if (command == "list") {
    for (const Pi& pi : all_pis()) fmt::print("{}\t{}\n", pi.name, pi.summary);
    return kDone;
  }
  if (command.empty()) throw UsageError("which performance indicator? see stackx-pi --help");

  const Pi pi = find_pi(command);
  const PiArguments arguments = parse({words.begin() + 1, words.end()});
  std::FILE* out = take_stdout();
  const nlohmann::json document = pi.run(pi, arguments, Clock::system());
  if (document.is_null()) return kDone;  // another rank's to print
  const std::string text = document.dump() + "\n";
  const bool written =
      std::fwrite(text.data(), 1, text.size(), out) == text.size() && std::fflush(out) == 0;
  if (!written) throw LoadError("stdout: cannot write the result");
  return kDone;
}

}  // namespace
}  // namespace stackx::kernels

int main(int argc, char** argv) {
  using namespace stackx::kernels;
  int status = kEnvironment;
  try {
    status = run({argv + 1, argv + argc});
  } catch (const UsageError& error) {
    fmt::print(stderr, "stackx-pi: {}\n", error.what());
    status = kUsage;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "stackx-pi: the host's memory ran short: give smaller sizes, or end what else holds it\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "stackx-pi: {}\n", error.what());
  }
  std::fflush(nullptr);
  if (status == kDone) let_go();  // of one that fails, the launcher ends the others
  // Not exit(): the libraries' exit handlers and thread pools are no part of the answer.
  _exit(status);
}
