// Ordinary commands as PIs, under bubblewrap and without it.
#include <unistd.h>

#include <catch2/catch.hpp>

#include "inspector/confinement/sandbox.hpp"
#include "inspector/inspector.hpp"
#include "inspector/process/process.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "tests/inspector/support.hpp"

namespace plain_program_tests {

using namespace stackx;
using namespace stackx::inspector;
using namespace stackx::inspector::testing;
using specs::Outcome;
namespace fs = std::filesystem;

namespace {

// "3.11 /usr/bin/python3.11": the tests' Python itself, not the virtual environment that it may be in.
std::pair<std::string, std::string> tests_python() {
  Command command;
  command.argv = {STACKX_TEST_PYTHON, "-c",
                  "import os, sys; print('%d.%d' % sys.version_info[:2],"
                  " os.path.realpath(getattr(sys, '_base_executable', sys.executable)))"};
  command.environment = current_environment();
  const auto said = run(command).out;
  const auto space = said.find(' ');
  return {said.substr(0, space), said.substr(space + 1, said.size() - space - 2)};
}

// A stack of a setting, and one with a Python as well.
class Scene {
 public:
  explicit Scene(bool sandbox) : python_(tests_python()) {
    catalog_ = catalog_of(R"({"$schema": "stackx/catalog/1", "components": {
      "mode": {"kind": "setting", "versioning": "opaque", "versions": {"loud": {"environment": {"PI_LOUD": "11"}}}},
      "python": {"kind": "runtime", "versions": {")" + python_.first + R"(": {"artifacts": [{"type": "path", "file": ")" +
                          python_.second + R"(", "program": ")" + python_.second + R"("}]}}}}})");
    context_.host.hostname = "test";
    context_.cache = room_ / "cache";
    context_.pis.native = fake_pi();
    context_.pis.python = fs::path(STACKX_SOURCE_DIR) / "kernels/python";
    context_.supervisor = supervisor();
    context_.sandbox = sandbox;
    context_.offline = true;
    limits_.timeout_seconds = 20;
    limits_.memory_gib = 0.5;
    fs::permissions(room_.path(), fs::perms(0755));
  }

  fs::path put(const std::string& name, const std::string& text, int mode = 0755) const {
    testing::write(room_ / name, text);
    fs::permissions(room_ / name, fs::perms(mode));
    return room_ / name;
  }
  fs::path directory(const std::string& name) const {
    fs::create_directories(room_ / name);
    return room_ / name;
  }

  // A shell script, with the setting alone.
  specs::Inspection shell(const std::string& lines, std::vector<std::string> words = {}, const fs::path& files = {},
                          const std::string& number = "seconds") {
    return inspect(put("bench", "#!/bin/sh\n" + lines), std::move(words), files, number, {{"mode", "loud"}});
  }
  specs::Inspection python(const fs::path& script, std::vector<std::string> words = {}, const fs::path& files = {}) {
    return inspect(script, std::move(words), files, "seconds", {{"mode", "loud"}, {"python", python_.first}});
  }

  specs::Inspection inspect(const fs::path& file, std::vector<std::string> words, const fs::path& files, const std::string& number,
                            std::map<std::string, std::string> stack) {
    context_.program = specs::PiProgram{false, file.string(), specs::sha256_file(file), true, std::move(words), number, files.string()};
    context_.pis.own = file;
    return again(std::move(stack));
  }
  specs::Inspection again(std::map<std::string, std::string> stack) {
    Inspector inspector(context_, catalog_, limits_);
    auto result = inspector.inspect(specs::Stack{std::move(stack)}, {"bench", {{"ignored", "1"}}});
    specs::seal(result);  // whatever happened makes a valid document
    const auto text = specs::to_json(result).dump();
    CHECK(specs::inspection_from(specs::Node::parse_text(text, "result")).id == result.id);
    return result;
  }

 private:
  TempDirectory room_;
  std::pair<std::string, std::string> python_;
  specs::Catalog catalog_;
  Context context_;
  specs::CampaignSpec limits_;
};

std::vector<bool> runners() {
  if (Sandbox::probe(supervisor()).available()) return {true, false};
  WARN("skipped under bubblewrap: it does not work here");
  return {false};
}

std::int64_t run_time(const specs::Inspection& result) {
  for (const auto& phase : result.phases)
    if (phase.name == "run") return phase.duration_ns;
  return 0;
}

}  // namespace

TEST_CASE("a plain program says a number, an object of the protocol, or nothing", "[plain_program]") {
  for (const bool sandbox : runners()) {
    Scene scene(sandbox);
    auto result = scene.shell("echo working; echo 0.25");
    INFO(result.reason);
    REQUIRE(result.outcome == Outcome::ok);
    CHECK(result.samples_ns == std::vector<std::int64_t>{250'000'000});
    CHECK(result.program->plain);
    CHECK(result.workload.program == result.program->sha256);
    CHECK(result.loaded.empty());

    result = scene.shell("sleep 0.1");
    CHECK(result.outcome == Outcome::ok);
    CHECK(result.samples_ns == std::vector<std::int64_t>{run_time(result)});
    CHECK(result.samples_ns.at(0) >= 100'000'000);

    result = scene.shell("echo 1234.5", {}, {}, "rate");
    CHECK(result.outcome == Outcome::ok);
    CHECK(result.work.items == 1234.5);

    result = scene.shell("echo 1e-3", {}, {}, "error");
    CHECK(result.outcome == Outcome::ok);
    CHECK(result.check->max_relative_error == 1e-3);

    result = scene.shell(R"(echo '{"samples_ns": [5, 6], "work": {"items": 2}}')");
    CHECK(result.outcome == Outcome::ok);
    CHECK(result.samples_ns.size() == 2);
    result = scene.shell(R"(echo '{"samples_ns": [5], "check": {"reference": "r", "max_relative_error": 1, "bound": 0, "pass": false}}')");
    CHECK(result.outcome == Outcome::wrong_result);

    result = scene.shell("echo -1");
    CHECK(result.outcome == Outcome::bad_output);
    CHECK(mentions(result.reason, "\"-1\" as its seconds"));
    result = scene.shell("echo 0.25; echo cannot >&2; exit 3");
    CHECK(result.outcome == Outcome::failed);
    CHECK(mentions(result.reason, "exit status 3: cannot"));
  }
}

TEST_CASE("a plain program gets its own words and the stack's settings, and no others", "[plain_program]") {
  for (const bool sandbox : runners()) {
    Scene scene(sandbox);
    const auto result = scene.shell("printf '<%s>' \"$@\" $PI_LOUD; echo", {"--batch", "8 $(id)", ""});
    CHECK(result.outcome == Outcome::ok);
    CHECK(result.stdout_tail == "<--batch><8 $(id)><><11>\n");
  }
}

TEST_CASE("files are where they are, can be read and not written, and are where the program begins", "[plain_program]") {
  for (const bool sandbox : runners()) {
    Scene scene(sandbox);
    const auto data = scene.directory("data");
    scene.put("data/seconds", "0.5\n", 0644);
    scene.put("hidden", "0.75\n", 0644);
    const std::string say = "pwd; cat seconds";
    auto result = scene.shell("cd -P .; " + say, {}, data);
    INFO(result.reason);
    CHECK(result.outcome == Outcome::ok);
    CHECK(result.samples_ns == std::vector<std::int64_t>{500'000'000});
    CHECK(result.stdout_tail == data.string() + "\n0.5\n");
    CHECK(scene.shell(say).outcome == Outcome::failed);
    if (sandbox) {
      CHECK(scene.shell("! cat ../hidden && ! touch new && ! echo 1 > seconds", {}, data).outcome == Outcome::ok);
      CHECK(scene.shell("echo 2 > /tmp/scratch && echo 2 > \"$HOME/scratch\" && cat /tmp/scratch", {}, data).outcome == Outcome::ok);
    }
    CHECK_FALSE(fs::exists(data / "new"));
    if (sandbox && geteuid() == 0) {
      fs::permissions(data, fs::perms(0750));
      result = scene.shell(say, {}, data);
      CHECK(result.outcome == Outcome::missing_pi);
      CHECK(mentions(result.reason, "another user; chmod a+rx " + data.string()));
    }
    fs::remove_all(data);
    result = scene.shell(say, {}, data);
    CHECK(result.outcome == Outcome::missing_pi);
    CHECK(mentions(result.reason, data.string() + " does not exist"));
    fs::create_directory_symlink("/etc", data);  // since it was planned
    result = scene.shell(say, {}, data);
    CHECK(result.outcome == Outcome::missing_pi);
    CHECK(mentions(result.reason, "/etc lies in /etc, which belongs to the machine"));
  }
}

TEST_CASE("a plain script runs under the stack's Python as if Python had been told its name", "[plain_program]") {
  for (const bool sandbox : runners()) {
    Scene scene(sandbox);
    const auto script = scene.put("work/bench.py",
                                  "import os, sys, time\nstart = time.perf_counter()\n"
                                  "print(sys.argv, __name__, sys.path[0], os.getcwd() == sys.path[0], '%d.%d' % sys.version_info[:2])\n"
                                  "import beside\nprint(beside.seconds)\n", 0644);
    scene.put("work/beside.py", "seconds = 0.125\n", 0644);
    const auto work = script.parent_path();
    auto result = scene.python(script, {"--batch", "8"}, work);
    INFO(result.reason);
    CHECK(result.outcome == Outcome::ok);
    CHECK(result.samples_ns == std::vector<std::int64_t>{125'000'000});
    CHECK(mentions(result.stdout_tail, "['" + script.string() + "', '--batch', '8'] __main__ " + work.string() + " True " +
                                           tests_python().first));
    result = scene.python(script);
    CHECK(result.outcome == (sandbox ? Outcome::failed : Outcome::ok));
    if (sandbox) CHECK(mentions(result.reason, "No module named 'beside'"));

    // Without a Python in the stack nothing runs it.
    result = scene.again({{"mode", "loud"}});
    CHECK(result.outcome == Outcome::missing_pi);
    CHECK(mentions(result.reason, "the stack has no Python that would run it"));
    if (sandbox && geteuid() == 0) {
      scene.put("work/bench.py", "print(1)\n", 0600);
      result = scene.python(script);
      CHECK(result.outcome == Outcome::missing_pi);
      CHECK(mentions(result.reason, "another user; chmod a+r " + script.string()));
    }
  }
}

TEST_CASE("a plain program that was changed since it was planned is not run", "[plain_program]") {
  Scene scene(false);
  CHECK(scene.shell("echo 1").outcome == Outcome::ok);
  scene.put("bench", "#!/bin/sh\necho 2\n");
  const auto result = scene.again({{"mode", "loud"}});
  CHECK(result.outcome == Outcome::missing_pi);
  CHECK(mentions(result.reason, "changed since the campaign was planned"));
}

}  // namespace plain_program_tests
