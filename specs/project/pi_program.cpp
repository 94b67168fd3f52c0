#include "specs/project/pi_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/format/printable.hpp"
#include "specs/format/text_file.hpp"
#include "specs/result/text_limits.hpp"

namespace stackx::specs {
namespace {

std::string digest_from(const Node& node) {
  auto digest = node.text();
  if (!is_sha256(digest))
    node.fail("expected a SHA-256: 64 lower-case hex digits");
  return digest;
}

void check_no_nul(const Node& node, const std::string& text) {
  if (text.find('\0') != std::string::npos) node.fail("a NUL character; no program can be given one");
}

std::vector<std::string> arguments_from(const Node& node) {
  check_texts("arguments", node);
  auto arguments = node.texts();
  if (arguments.empty()) node.fail("expected one argument or more; leave it out where there are none");
  for (const auto& item : node.items()) check_no_nul(item, item.text());
  return arguments;
}

std::string number_from(const Node& node) {
  auto number = node.text();
  if (number == "seconds") node.fail("seconds are what is meant without it; remove it");
  if (std::ranges::find(printed_numbers, number) == printed_numbers.end())
    node.fail(fmt::format("expected \"rate\" or \"error\", found {}", in_quotes(number)));
  return number;
}

std::string files_from(const Node& node) {
  check_texts("files", node);
  auto files = node.text();
  if (!std::filesystem::path(files).is_absolute()) node.fail("expected the absolute path of a directory");
  check_no_nul(node, files);
  return files;
}

void plain_from(PiProgram& program, const Node& node) {
  if (const auto plain = node.find("plain")) {
    if (program.own) plain->fail("stackx's own PI is none; remove it");
    program.plain = plain->boolean();
    if (!program.plain) plain->fail("expected true; leave it out where it is not");
  }
  for (const char* key : {"arguments", "number", "files"})
    if (const auto member = node.find(key); member && !program.plain)
      member->fail("only a program that is \"plain\": true has it; remove it");
  if (const auto arguments = node.find("arguments")) program.arguments = arguments_from(*arguments);
  if (const auto number = node.find("number")) program.number = number_from(*number);
  if (const auto files = node.find("files")) program.files = files_from(*files);
}

}  // namespace

std::string PiProgram::text() const {
  if (own) return "stackx's own PI";
  constexpr std::size_t most = 200;  // of the arguments, for people
  auto words = fmt::format("{}", fmt::join(arguments, " "));
  if (!words.empty()) words = " " + cut(printable(words), most);
  return fmt::format("{}{} (SHA-256 {}, not stackx's own)", printable(path), words, sha256.substr(0, 12));
}

PiProgram foreign_program(const std::filesystem::path& file) {
  std::error_code error;
  auto real = std::filesystem::canonical(file, error);
  if (error || !std::filesystem::is_regular_file(real, error))
    throw bad_input(fmt::format("--pi {}: {}; expected the file of a program that measures (docs/own-pi.md)",
                                file.string(), error ? error.message() : "not a file"));
  PiProgram program{false, real.string(), ""};
  try {
    program.sha256 = sha256_file(real);
  } catch (const Error& unreadable) {
    throw bad_input(fmt::format("--pi {}: {}", file.string(), unreadable.what()));
  }
  return program;
}

Json to_json(const PiProgram& program) {
  Json json = {{"own", program.own}};
  if (!program.own) json["path"] = to_utf8(program.path);
  if (!program.sha256.empty()) json["sha256"] = program.sha256;
  if (!program.plain) return json;
  json["plain"] = true;
  for (const auto& argument : program.arguments) json["arguments"].push_back(to_utf8(argument));
  if (program.number != "seconds") json["number"] = program.number;
  if (!program.files.empty()) json["files"] = to_utf8(program.files);
  return json;
}

PiProgram program_from(const Node& node) {
  node.only({"own", "path", "sha256", "plain", "arguments", "number", "files"});
  PiProgram program;
  program.own = node.at("own").boolean();
  if (const auto path = node.find("path")) {
    if (program.own) path->fail("stackx's own PI has no path; remove it");
    program.path = path->nonempty();
  } else if (!program.own) {
    node.fail("expected \"path\": which program measured");
  }
  if (const auto digest = node.find("sha256"))
    program.sha256 = digest_from(*digest);
  else if (!program.own)
    node.fail("expected \"sha256\" of the program that measured");
  plain_from(program, node);
  return program;
}

}  // namespace stackx::specs
