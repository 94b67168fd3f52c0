#include "workspace/doctor/outside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "specs/format/masked.hpp"
#include "specs/format/printable.hpp"

namespace stackx::workspace {
namespace {

std::string why_not(const inspector::Finished& finished, std::chrono::milliseconds patience) {
  switch (finished.end) {
    case inspector::End::deadline:
      return fmt::format("no answer within {}", seconds(patience));
    case inspector::End::output_limit:
      return "it prints without end";
    case inspector::End::not_started:
      return fmt::format("cannot be started: {}", std::strerror(finished.status));
    default:
      break;
  }
  const auto said = brief_words(finished.err);
  if (!said.empty()) return said;
  return finished.end == inspector::End::exited ? fmt::format("exit code {}", finished.status)
                                                : "it was ended by " + inspector::signal_name(finished.status);
}

}  // namespace

Answer ask(const std::vector<std::string>& argv, const inspector::Environment& environment,
           std::chrono::milliseconds patience) {
  Answer answer;
  answer.there = !inspector::find_program(argv.at(0)).empty();
  if (!answer.there) return answer;
  inspector::Command command;
  command.argv = argv;
  command.environment = environment;
  command.deadline = patience;
  command.stdout_limit = command.stderr_limit = std::size_t{64} << 10;
  auto finished = inspector::run(command);
  answer.ok = finished.ok();
  answer.text = std::move(finished.out);
  if (!answer.ok) answer.why = why_not(finished, patience);
  return answer;
}

std::string brief_words(std::string_view text, std::size_t most) {
  const auto from = text.find_first_not_of(" \t\r\n");
  if (from == text.npos) return "";
  text = text.substr(from);
  auto line = specs::without_passwords(std::string(text.substr(0, std::min(text.find_first_of("\r\n"), 4 * most))));
  line = specs::printable(line);
  if (line.size() <= most) return line.substr(0, line.find_last_not_of(' ') + 1);
  auto end = most;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0U) == 0x80U) --end;  // no half characters
  return line.substr(0, end) + "...";
}

std::string version_in(const std::string& text) {
  const auto line = brief_words(text);
  for (std::size_t from = 0; from < line.size();) {
    const auto end = std::min(line.find_first_of(" ,", from), line.size());
    if (end > from && line[from] >= '0' && line[from] <= '9') return line.substr(from, end - from);
    from = end + 1;
  }
  return "";
}

std::string seconds(std::chrono::milliseconds time) { return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000); }

}  // namespace stackx::workspace
