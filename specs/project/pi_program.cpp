#include "specs/project/pi_program.hpp"

#include <fmt/format.h>

#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/format/printable.hpp"

namespace stackx::specs {
namespace {

std::string digest_from(const Node& node) {
  auto digest = node.text();
  if (!is_sha256(digest))
    node.fail("expected a SHA-256: 64 lower-case hex digits");
  return digest;
}

}  // namespace

std::string PiProgram::text() const {
  if (own) return "stackx's own PI";
  return fmt::format("{} (SHA-256 {}, not stackx's own)", printable(path), sha256.substr(0, 12));
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
  return json;
}

PiProgram program_from(const Node& node) {
  node.only({"own", "path", "sha256"});
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
  return program;
}

}  // namespace stackx::specs
