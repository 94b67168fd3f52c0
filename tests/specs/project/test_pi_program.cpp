#include "specs/project/pi_program.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/project/plan.hpp"
#include "specs/result/inspection.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/specs/samples.hpp"

namespace pi_program_tests {

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

const PiProgram foreign{false, "/home/u/bench.py", std::string(64, 'b')};

const PiProgram plain{false, "/home/u/bench.py", std::string(64, 'b'), true, {"--batch", "8"}, "rate", "/home/u/data"};

std::string refusal(const char* text) {
  return message_of([&] { program_from(Node::parse_text(text, "p.json")); });
}

}  // namespace

TEST_CASE("a program that measured is the same after writing and reading") {
  for (const auto& program : {PiProgram{}, PiProgram{true, "", std::string(64, 'a')}, foreign, plain,
                              PiProgram{false, "/bin/true", std::string(64, 'c'), true}})
    CHECK(program_from(Node::parse_text(to_json(program).dump(), "p.json")) == program);
  CHECK(PiProgram{true, "", std::string(64, 'a')}.identity().empty());
  CHECK(foreign.identity() == std::string(64, 'b'));
  CHECK(foreign.text() == "/home/u/bench.py (SHA-256 bbbbbbbbbbbb, not stackx's own)");
}

TEST_CASE("a program that is not stackx's own says where it lay and what it was") {
  CHECK_THAT(refusal(R"({"own": false})"), Contains("expected \"path\""));
  CHECK_THAT(refusal(R"({"own": false, "path": "/x"})"), Contains("expected \"sha256\""));
  CHECK_THAT(refusal(R"({"own": true, "path": "/x"})"), Contains("/path: stackx's own PI has no path"));
  CHECK_THAT(refusal(R"({"own": true, "sha256": "ABC"})"), Contains("/sha256: expected a SHA-256"));
  CHECK_THAT(refusal(R"({"path": "/x"})"), Contains("own"));
}

TEST_CASE("what a plain program is told by stands beside its file, and what is so anyway does not") {
  CHECK(to_json(plain).dump() == R"({"arguments":["--batch","8"],"files":"/home/u/data","number":"rate","own":false,)"
                                 R"("path":"/home/u/bench.py","plain":true,"sha256":")" + std::string(64, 'b') + "\"}");
  CHECK(to_json(foreign).dump() == R"({"own":false,"path":"/home/u/bench.py","sha256":")" + std::string(64, 'b') + "\"}");
  CHECK(plain.identity() == foreign.identity());
  CHECK(plain.text() == "/home/u/bench.py --batch 8 (SHA-256 bbbbbbbbbbbb, not stackx's own)");
  auto long_winded = plain;
  long_winded.arguments = {std::string(1000, 'x'), "\x1b[2J"};
  CHECK(long_winded.text().size() < 300);
}

TEST_CASE("what a program that is not plain is told, and what cannot be told, is refused at its place") {
  const auto with = [](const std::string& members) {
    const auto text = R"({"own": false, "path": "/x", "sha256": ")" + std::string(64, 'b') + "\", ";
    return refusal((text + members + "}").c_str());
  };
  CHECK_THAT(with(R"("arguments": ["a"])"), Contains("/arguments: only a program that is \"plain\""));
  CHECK_THAT(with(R"("number": "rate")"), Contains("/number: only a program that is \"plain\""));
  CHECK_THAT(with(R"("files": "/d")"), Contains("/files: only a program that is \"plain\""));
  CHECK_THAT(with(R"("plain": false)"), Contains("/plain: expected true"));
  CHECK_THAT(with(R"("plain": 1)"), Contains("/plain: expected true or false"));
  CHECK_THAT(refusal(R"({"own": true, "plain": true})"), Contains("/plain: stackx's own PI is none"));
  CHECK_THAT(with(R"("plain": true, "arguments": [])"), Contains("/arguments: expected one argument or more"));
  CHECK_THAT(with(R"("plain": true, "arguments": "a")"), Contains("/arguments: expected an array"));
  CHECK_THAT(with(R"("plain": true, "arguments": ["a", 1])"), Contains("/arguments/1: expected a string"));
  CHECK_THAT(with(R"("plain": true, "arguments": ["a", "b\u0000"])"), Contains("/arguments/1: a NUL character"));
  CHECK_THAT(with(R"("plain": true, "arguments": [")" + std::string(20'000, 'x') + "\"]"), Contains("/arguments: a text of 20000 bytes"));
  CHECK_THAT(with(R"("plain": true, "number": "seconds")"), Contains("/number: seconds are what is meant without it"));
  CHECK_THAT(with(R"("plain": true, "number": "hours")"), Contains("/number: expected \"rate\" or \"error\", found \"hours\""));
  CHECK_THAT(with(R"("plain": true, "files": "data")"), Contains("/files: expected the absolute path"));
  CHECK_THAT(with(R"("plain": true, "files": "/a\u0000b")"), Contains("/files: a NUL character"));
}

TEST_CASE("a file of one's own is named by its real path and its content") {
  const fs::path file = fs::temp_directory_path() / "stackx-test-pi-program", link = file.string() + "-link";
  std::ofstream(file) << "#!/bin/sh\n";
  fs::remove(link);
  fs::create_symlink(file, link);
  const auto program = foreign_program(link);
  CHECK(program == PiProgram{false, fs::canonical(file).string(), sha256("#!/bin/sh\n")});
  fs::remove(link);
  fs::remove(file);
  CHECK_THAT(message_of([&] { foreign_program(file); }), Contains("--pi " + file.string()) && Contains("docs/own-pi.md"));
  CHECK_THAT(message_of([&] { foreign_program(fs::temp_directory_path()); }), Contains("not a file"));
}

TEST_CASE("what another program measures is another workload, in documents and plans") {
  Inspection inspection = sample_inspection();
  const std::string own = inspection.workload.id();
  inspection.program = foreign;
  seal(inspection);
  const auto again = inspection_from(Node::parse_text(canonical(to_json(inspection)), "i.json"));
  CHECK(again.program == foreign);
  CHECK(again.workload.program == foreign.sha256);
  CHECK(again.workload.text() == inspection.workload.text());
  CHECK(again.workload.id() != own);
  CHECK(again.workload != sample_inspection().workload);
  CHECK(sample_inspection().workload.id() == own);

  Plan plan;
  plan.project = "p";
  plan.program = plain;
  plan.arms = {{"a", {}, {"matmul", {}}, false}};
  seal(plan);
  const auto planned = plan_from(Node::parse_text(canonical(to_json(plan)), "plan.json"));
  CHECK(planned.program == plain);
  CHECK(planned.arms.front().workload.program == foreign.sha256);
}

}  // namespace pi_program_tests
