#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>

#include "inspector/process/process.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;

namespace {

Command command_of(std::vector<std::string> argv) {
  Command command;
  command.argv = std::move(argv);
  command.environment = {{"PATH", "/usr/bin:/bin"}};
  command.deadline = std::chrono::seconds(30);
  return command;
}

}  // namespace

TEST_CASE("a process ends with its exit code, its output and its resource usage", "[process]") {
  const auto finished = run(command_of({"/bin/sh", "-c", "echo out; echo err >&2; exit 7"}));
  CHECK(finished.end == End::exited);
  CHECK(finished.status == 7);
  CHECK(finished.out == "out\n");
  CHECK(finished.err == "err\n");
  CHECK(finished.usage.ru_maxrss > 0);
}

TEST_CASE("arguments, environment and directory arrive as they are", "[process]") {
  const TempDirectory directory;
  auto command = command_of({"/usr/bin/env", "printf", "%s|", "a b", "$(touch x)", "`id`", "; ls",
                             "'\"\\", "new\nline", "*", "", "-n"});
  command.directory = directory.path();
  CHECK(run(command).out == "a b|$(touch x)|`id`|; ls|'\"\\|new\nline|*||-n|");
  CHECK(std::filesystem::is_empty(directory.path()));

  command.argv = {"/usr/bin/env"};
  command.environment = {{"ONLY", "$(this) 'one'\n;"}};
  CHECK(run(command).out == "ONLY=$(this) 'one'\n;\n");

  command.argv = {"/bin/pwd"};
  CHECK(run(command).out == directory.path().string() + "\n");
}

TEST_CASE("a process begins nowhere near the user, and knows its own name there", "[process]") {
  const TempDirectory directory;
  write(directory / "named", "#!/bin/sh\npwd; echo \"$0\"\n");
  std::filesystem::permissions(directory / "named", std::filesystem::perms::owner_all);
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  const auto where = run(command_of({"/bin/pwd"})).out, named = run(command_of({"./named"})).out;
  std::filesystem::current_path(before);
  CHECK(where == "/\n");
  CHECK(named == "/\n" + directory.path().string() + "/./named\n");
}

TEST_CASE("a process that writes more than it may is ended", "[process]") {
  const TempDirectory directory;
  const auto file = directory / "file";
  auto command = command_of({"/bin/dd", "if=/dev/zero", "of=" + file.string(), "bs=1M", "count=1000"});
  command.most_written = 10 << 20;
  CHECK(run(command).end == End::wrote_too_much);
  CHECK(std::filesystem::file_size(file) < std::uintmax_t{1000} << 20);

  command.argv.back() = "count=9";
  CHECK(run(command).ok());
}

TEST_CASE("a signal, a missing program and one that cannot be run are told apart", "[process]") {
  const auto killed = run(command_of({"/bin/sh", "-c", "kill -SEGV $$"}));
  CHECK(killed.end == End::signalled);
  CHECK(killed.status == SIGSEGV);

  const auto missing = run(command_of({"/nonexistent/program"}));
  CHECK(missing.end == End::not_started);
  CHECK(missing.status == ENOENT);

  const TempDirectory directory;
  write(directory / "text", "not a program");
  CHECK(run(command_of({(directory / "text").string()})).status == EACCES);
  std::filesystem::permissions(directory / "text", std::filesystem::perms::owner_all);
  CHECK(run(command_of({(directory / "text").string()})).status == ENOEXEC);
}

TEST_CASE("stdin is empty", "[process]") {
  const auto finished = run(command_of({"/bin/cat"}));
  CHECK(finished.ok());
  CHECK(finished.out.empty());
}

TEST_CASE("output beyond the limit ends the process and keeps the first bytes", "[process]") {
  for (const std::string where : {"", " >&2"}) {
    auto command =
        command_of({"/bin/sh", "-c", "while :; do echo xxxxxxxxxxxxxxxx" + where + "; done"});
    command.stdout_limit = command.stderr_limit = 1000;
    const auto finished = run(command);
    CHECK(finished.end == End::output_limit);
    CHECK((where.empty() ? finished.out : finished.err).size() == 1000);
  }
}

TEST_CASE("the deadline kills the whole group, and so does the end of its leader", "[process]") {
  const std::string mark = "31536001." + std::to_string(getpid());
  auto command = command_of({"/bin/sh", "-c", "sleep " + mark + " & sleep " + mark});
  command.deadline = std::chrono::milliseconds(200);
  CHECK(run(command).end == End::deadline);
  CHECK(wait_for_processes(mark, 0));

  // The child keeps our pipe open, which must not keep us waiting.
  command = command_of({"/bin/sh", "-c", "sleep " + mark + " & echo started"});
  const auto finished = run(command);
  CHECK(finished.ok());
  CHECK(finished.out == "started\n");
  CHECK(wait_for_processes(mark, 0));
}

TEST_CASE("stop() ends a process", "[process]") {
  auto command = command_of({"/bin/sleep", "1000"});
  command.stop = [] { return true; };
  CHECK(run(command).end == End::stopped);
}

TEST_CASE("the channel carries what the child writes, and end-of-file asks it to end",
          "[process]") {
  auto command = command_of({"/bin/sh", "-c", "echo report >&3; cat <&3; echo bye >&3"});
  command.channel = true;
  command.deadline = std::chrono::milliseconds(200);
  command.grace = std::chrono::seconds(60);  // for a shell that has not even begun by then
  const auto finished = run(command);
  CHECK(finished.end == End::deadline);
  CHECK(finished.channel == "report\nbye\n");

  command.argv = {"/bin/sh", "-c", "trap '' TERM; while :; do sleep 1; done"};
  command.grace = std::chrono::milliseconds(200);
  CHECK(run(command).end == End::deadline);  // it did not care, and was killed
}

TEST_CASE("a process dies with the one that started it", "[process]") {
  const std::string mark = "31536002." + std::to_string(getpid());
  const pid_t child = fork();
  if (child == 0) {
    run(command_of({"/bin/sleep", mark}));
    _exit(0);
  }
  REQUIRE(wait_for_processes(mark, 1));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK(wait_for_processes(mark, 0));
}

TEST_CASE("tails are valid UTF-8 whatever was printed", "[process]") {
  CHECK(tail("abc", 2) == "bc");
  CHECK(tail("abc", 10) == "abc");
  CHECK(tail("a\xff"
             "b") ==
        "a\xEF\xBF\xBD"
        "b");
  const auto cut = tail("ä", 1);  // the second half of a character
  CHECK(cut == "\xEF\xBF\xBD");
  CHECK_NOTHROW(nlohmann::json(tail(std::string("\xc3\x28\xa0\xa1\x00 \xf0", 7))).dump());
}

TEST_CASE("programs are looked up on absolute parts of PATH only", "[process]") {
  const TempDirectory directory;
  write(directory / "tool", "#!/bin/sh\n");
  std::filesystem::permissions(directory / "tool", std::filesystem::perms::owner_all);
  write(directory / "plain", "");
  const Variable path("PATH", ".::" + directory.path().string());
  CHECK(find_program("tool") == directory / "tool");
  CHECK(find_program("plain").empty());
  CHECK(find_program("nothing-of-that-name").empty());
  CHECK(find_program((directory / "tool").string()) == directory / "tool");
}
