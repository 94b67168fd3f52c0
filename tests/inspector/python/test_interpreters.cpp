#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "inspector/process/process.hpp"
#include "inspector/python/interpreters.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx::inspector;
using stackx::inspector::testing::TempDirectory;
using stackx::inspector::testing::Variable;
using stackx::inspector::testing::write;
namespace fs = std::filesystem;

namespace {

void program(const fs::path& file, const std::string& text) {
  write(file, "#!/bin/sh\n" + text);
  fs::permissions(file, fs::perms::owner_all);
}

struct Answer {
  std::string version;
  std::string abi = "cp311";
  std::string name = "cpython";
  std::string bits = "64";
  std::string executable = "$0";
};

// A program that answers as an interpreter would. Its arguments are checked: isolated, and one -c.
void interpreter(const fs::path& file, const Answer& answer) {
  program(file,
          "[ \"$1 $2 $3 $4\" = '-E -s -S -c' ] || exit 9\n"
          "printf 'stackx\\000" +
              answer.name + "\\000" + answer.version + "\\000cpython-311\\000" + answer.abi +
              "\\000" + answer.bits + "\\000/base\\000%s\\000' \"" + answer.executable + "\"\n");
}

std::vector<std::string> versions(const std::vector<Interpreter>& found) {
  std::vector<std::string> result;
  for (const auto& one : found) result.push_back(one.version);
  return result;
}

Interpreter plain(const std::string& version) {
  return {"/usr/bin/python", version, "", "", "/usr", ""};
}

}  // namespace

TEST_CASE("an interpreter is asked once however many names it has, and the newest comes first") {
  TempDirectory place;
  interpreter(place / "bin/python3.9", {"3.9.2", "cp39"});
  fs::create_symlink("python3.9", place / "bin/python3");
  fs::create_symlink("python3.9", place / "bin/python");
  interpreter(place / "bin/python3.11", {"3.11.7"});
  interpreter(place / "pyenv/3.10.13/bin/python3.10", {"3.10.13", "cp310"});
  fs::create_symlink("python3.10", place / "pyenv/3.10.13/bin/python3");
  interpreter(place / "bin/python3-config", {"9.9.9"});
  interpreter(place / "bin/pythonista", {"9.9.9"});
  interpreter(place / "bin/python3.13t", {"9.9.9"});
  const auto found = find_interpreters(
      {{place / "bin", place / "nowhere", place / "bin"}, {place / "pyenv/3.10.13"}});
  CHECK(versions(found) == std::vector<std::string>{"3.11.7", "3.10.13", "3.9.2"});
  REQUIRE(found.size() == 3);
  CHECK(found[1].program == place / "pyenv/3.10.13/bin/python3.10");
  CHECK(found[1].abi == "cp310");
  CHECK(found[1].cache_tag == "cpython-311");
  CHECK(found[1].prefix == "/base");
  CHECK(found[1].environment.empty());
  CHECK(found[2].program == place / "bin/python3.9");
}

TEST_CASE("of equal versions the system's comes first, and a virtual environment last") {
  TempDirectory place;
  interpreter(place / "home/bin/python3.11", {"3.11.7"});
  write(place / "home/pyvenv.cfg", "home = /usr/bin\n");
  interpreter(place / "usr/bin/python3.11", {"3.11.7"});
  interpreter(place / "opt/bin/python3.11", {"3.11.7"});
  const auto found = find_interpreters({{place / "home/bin", place / "usr/bin"}, {place / "opt"}});
  REQUIRE(found.size() == 3);
  CHECK(found[0].program == place / "usr/bin/python3.11");
  CHECK(found[1].program == place / "opt/bin/python3.11");
  CHECK(found[2].program == place / "home/bin/python3.11");
  CHECK(found[2].environment == place / "home");
}

TEST_CASE("a virtual environment is kept beside the interpreter that it links to") {
  TempDirectory place;
  interpreter(place / "usr/bin/python3.11", {"3.11.7"});
  fs::create_directories(place / "venv/bin");
  write(place / "venv/pyvenv.cfg", "home = /usr/bin\n");
  fs::create_symlink(place / "usr/bin/python3.11", place / "venv/bin/python");
  fs::create_symlink("python", place / "venv/bin/python3");
  const auto found = find_interpreters({{place / "usr/bin"}, {place / "venv"}});
  REQUIRE(found.size() == 2);
  CHECK(found[0].environment.empty());
  CHECK(found[1].environment == place / "venv");
  CHECK(found[1].program.parent_path() == place / "venv/bin");
  CHECK(found[1].prefix == "/base");
  CHECK(serving({found[1]}, "3.11") == nullptr);
}

TEST_CASE("for one release, what has another's name is not asked") {
  TempDirectory place;
  for (const auto* version : {"3.9.2", "3.11.7", "3.12.1"})
    interpreter(place / "bin" / ("python" + std::string(version).substr(0, std::string(version).rfind('.'))), {version});
  interpreter(place / "opt/bin/python3", {"3.11.9"});  // says it only when asked
  interpreter(place / "venv/bin/python3.11", {"3.11.9"});
  write(place / "venv/pyvenv.cfg", "home = /usr/bin\n");
  std::vector<std::string> asked;
  const Start counting = [&asked](const std::vector<std::string>& argv) {
    asked.push_back(fs::path(argv[0]).filename());
    return start_directly(argv);
  };
  const InterpreterPlaces places{{place / "bin", place / "venv/bin"}, {place / "opt"}};
  const auto of = [&](const std::string& release) {
    asked.clear();
    return versions(find_interpreters(places, counting, release));
  };
  CHECK(of("3.11") == std::vector<std::string>{"3.11.9", "3.11.7"});
  CHECK(asked == std::vector<std::string>{"python3.11", "python3"});
  CHECK(of("3.11.7") == std::vector<std::string>{"3.11.9", "3.11.7"});
  CHECK(of("3.1") == std::vector<std::string>{"3.11.9"});  // python3 alone leaves it open
  CHECK(of("3") == std::vector<std::string>{"3.12.1", "3.11.9", "3.11.7", "3.9.2"});
  CHECK(of("").size() == 5);
}

TEST_CASE("a virtualenv of Python 2 is told by its orig-prefix.txt") {
  TempDirectory place;
  write(place / "old/lib/python2.7/orig-prefix.txt", "/usr/local\n");
  program(place / "old/bin/python2.7",
          "printf 'stackx\\000cpython\\0002.7.18\\000\\000cp27mu\\00064\\000" +
              (place / "old").string() + "\\000%s\\000' \"$0\"\n");
  const auto found = ask_interpreter(place / "old/bin/python2.7");
  REQUIRE(found);
  CHECK(found->environment == place / "old");
  CHECK(found->prefix == "/usr/local");
  CHECK(found->cache_tag.empty());
  CHECK(found->abi == "cp27mu");
}

TEST_CASE("what is no CPython for wheels of this machine is left out") {
  TempDirectory place;
  const auto asked = [&](const Answer& answer) {
    interpreter(place / "bin/python3", answer);
    return ask_interpreter(place / "bin/python3").has_value();
  };
  CHECK(asked({"3.11.7"}));
  CHECK_FALSE(asked({"3.10.14", "cp310", "pypy"}));
  CHECK_FALSE(asked({"3.11.7", "cp311", "cpython", "32"}));
  CHECK_FALSE(asked({"3.13.0", "cp313t"}));
}

TEST_CASE("a program that fails, says something else, or is none, is no interpreter") {
  TempDirectory place;
  const auto file = place / "bin/python3";
  program(file, "exit 1\n");
  CHECK_FALSE(ask_interpreter(file));
  program(file, "echo Python 3.11.2\n");
  CHECK_FALSE(ask_interpreter(file));
  program(file, "printf 'stackx\\000cpython\\000'; kill -9 $$\n");
  CHECK_FALSE(ask_interpreter(file));
  program(file, "exec cat /dev/zero\n");
  CHECK_FALSE(ask_interpreter(file));
  write(place / "bin/python3.10", "not executable");
  CHECK_FALSE(ask_interpreter(place / "bin/python3.10"));
  CHECK_FALSE(ask_interpreter(place / "bin"));
  CHECK_FALSE(ask_interpreter(place / "bin/nothing"));
  CHECK_FALSE(ask_interpreter(""));
}

TEST_CASE("a script that starts an interpreter stands for that interpreter; shims are not asked") {
  TempDirectory place;
  interpreter(place / "real/bin/python3.11", {"3.11.7"});
  program(place / "bin/python3",
          "exec '" + (place / "real/bin/python3.11").string() + "' \"$@\"\n");
  program(place / "shims/python3", "touch '" + (place / "asked").string() + "'\n");
  const auto found = find_interpreters({{place / "shims", place / "bin"}, {place / "real"}});
  REQUIRE(found.size() == 1);
  CHECK(found[0].program == place / "real/bin/python3.11");
  CHECK_FALSE(fs::exists(place / "asked"));
}

TEST_CASE("paths may hold spaces, quotes and newlines") {
  TempDirectory place;
  const auto directory = place / "it's a $(touch x); `id`\n dir";
  interpreter(directory / "bin/python3.11", {"3.11.7"});
  const auto found = find_interpreters({{directory / "bin"}, {}});
  REQUIRE(found.size() == 1);
  CHECK(found[0].program == directory / "bin/python3.11");
}

TEST_CASE("a python component is served by the release it states, as far as it states one") {
  const std::vector<Interpreter> found = {plain("3.13.0rc1"), plain("3.11.7"), plain("3.11.2"),
                                          plain("3.6.15"), plain("2.7.18")};
  const auto served = [&](const std::string& version) {
    const auto* one = serving(found, version);
    return one == nullptr ? "nobody" : one->version;
  };
  CHECK(served("3.11") == "3.11.7");
  CHECK(served("3.11.2") == "3.11.2");
  CHECK(served("3.6") == "3.6.15");
  CHECK(served("3.6.15") == "3.6.15");
  CHECK(served("3.6.1") == "nobody");
  CHECK(served("3.1") == "nobody");
  CHECK(served("3.13") == "3.13.0rc1");
  CHECK(served("3.13.0") == "nobody");
  CHECK(served("2") == "2.7.18");
  CHECK(served("") == "nobody");
}

TEST_CASE("usual places: PATH, pyenv, conda and its list, all absolute") {
  TempDirectory home;
  fs::create_directories(home / ".pyenv/versions/3.6.15");
  fs::create_directories(home / "miniforge3/envs/tf");
  write(home / ".conda/environments.txt", "/data/envs/a b\nrelative\n");
  const Variable no_root("PYENV_ROOT", std::nullopt), user("HOME", home.path().string()),
      path("PATH", "/first/bin::relative:/second/bin"), conda("CONDA_PREFIX", "/active");
  const auto places = usual_interpreter_places();
  const auto has = [](const std::vector<fs::path>& list, const fs::path& one) {
    return std::find(list.begin(), list.end(), one) != list.end();
  };
  CHECK(places.programs ==
        std::vector<fs::path>{"/usr/bin", "/usr/local/bin", "/first/bin", "/second/bin"});
  CHECK(has(places.prefixes, home / ".pyenv/versions/3.6.15"));
  CHECK(has(places.prefixes, home / "miniforge3/envs/tf"));
  CHECK(has(places.prefixes, "/data/envs/a b"));
  CHECK(has(places.prefixes, "/active"));
  CHECK_FALSE(has(places.prefixes, "relative"));
}

TEST_CASE("the interpreters of this machine say what running them says") {
  const auto found = find_interpreters();
  if (found.empty()) {
    WARN("no Python on this machine: nothing to ask");
    return;
  }
  std::map<fs::path, int> programs;
  for (const auto& one : found) {
    INFO(one.program);
    CHECK(one.program.is_absolute());
    CHECK(++programs[one.program] == 1);
    Command command;
    command.argv = {one.program.string(), "-c",
                    "import sys; sys.stdout.write('%d.%d.%d' % sys.version_info[:3])"};
    command.environment = current_environment();
    const auto said = run(command);
    REQUIRE(said.ok());
    CHECK(one.version.starts_with(said.out));
    CHECK(fs::is_directory(one.prefix));
    const auto major_minor = said.out.substr(0, said.out.rfind('.'));
    CHECK(one.abi.starts_with("cp" + major_minor.substr(0, 1) + major_minor.substr(2)));
    CHECK(one.cache_tag.empty() == major_minor.starts_with("2."));
    if (one.environment.empty()) CHECK(serving({one}, major_minor) != nullptr);
  }
}
