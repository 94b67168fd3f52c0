#include "inspector/run/pi_command.hpp"

#include <unistd.h>

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

bool runs_python(const Pis& pis, const StackEnvironment& environment) {
  return environment.python && (pis.own.empty() || pis.own.extension() == ".py");
}

void start_python(PiCommand& command, const Pis& pis, const StackEnvironment& environment) {
  const auto bootstrap = pis.python / "bootstrap.py";
  const auto script = pis.own.empty() ? pis.python / "pi.py" : pis.own;
  const bool own_site = environment.site.empty();
  command.argv = {environment.python->program.string(), "-s"};
  if (!own_site) command.argv.emplace_back("-S");
  for (const auto& word :
       {bootstrap.string(), own_site ? std::string("-") : environment.site.string(), script.string()})
    command.argv.push_back(word);
  command.visible = {pis.python};
  if (!pis.own.empty()) command.visible.push_back(pis.own);
}

void start_native(PiCommand& command, const Pis& pis, const StackEnvironment& environment,
                  const std::string& name) {
  const auto program = pis.own.empty() ? pis.native : pis.own;
  command.argv = {program.string(), name};
  command.visible = {program};
  if (!environment.library.empty())
    append(command.argv, {"--library", environment.library.string(), "--component", environment.component});
  if (!pis.own.empty()) return;
  for (const auto& partner : environment.partners) append(command.argv, {"--with", partner.string()});
}

std::optional<std::string> why_unreadable(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return file.string() + " does not exist";
  if (!fs::is_regular_file(file, error)) return file.string() + " is not a file";
  return std::nullopt;
}

}  // namespace

PiCommand pi_command(const Pis& pis, const StackEnvironment& environment, const std::string& name,
                     const std::map<std::string, std::string>& parameters) {
  PiCommand command;
  if (runs_python(pis, environment)) {
    start_python(command, pis, environment);
    command.argv.push_back(name);
  } else {
    start_native(command, pis, environment, name);
  }
  for (const auto& [key, value] : parameters) command.argv.push_back(key + "=" + value);
  return command;
}

PiCommand plain_command(const Pis& pis, const StackEnvironment& environment, const specs::PiProgram& program) {
  PiCommand command;
  if (runs_python(pis, environment)) {
    start_python(command, pis, environment);
  } else {
    command.argv = {pis.own.string()};
    command.visible = {pis.own};
  }
  command.argv.insert(command.argv.end(), program.arguments.begin(), program.arguments.end());
  if (!program.files.empty()) command.visible.emplace_back(program.files);
  return command;
}

std::optional<std::string> why_no_pi(const Pis& pis, const StackEnvironment& environment) {
  if (runs_python(pis, environment)) {
    if (const auto why = why_unreadable(pis.python / "bootstrap.py")) return why;
    return why_unreadable(pis.own.empty() ? pis.python / "pi.py" : pis.own);
  }
  const auto program = pis.own.empty() ? pis.native : pis.own;
  if (const auto why = why_unreadable(program)) return why;
  // access() would say yes to root for any file with one execute bit, as exec does.
  if (access(program.c_str(), X_OK) != 0)
    return program.string() + (program.extension() == ".py" ? " is not executable, and the stack has no Python that would run "
                                                              "it; add the component python, or chmod +x it"
                                                            : " is not executable; chmod +x it");
  return std::nullopt;
}

}  // namespace stackx::inspector
