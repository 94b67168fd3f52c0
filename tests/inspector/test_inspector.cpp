// Every way in which a PI can end, under bubblewrap and without it.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <optional>

#include "inspector/inspector.hpp"
#include "inspector/process/placement.hpp"
#include "inspector/process/process.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx;
using namespace stackx::inspector;
using namespace stackx::inspector::testing;
using specs::Outcome;

namespace {

// A stack of one setting and nothing to install.
const char* const catalog_text = R"({"$schema": "stackx/catalog/1", "components": {
  "mode": {"kind": "setting", "versioning": "opaque", "versions": {
    "plain": {},
    "loud": {"environment": {"PI_SHOUT": "$(echo \"x\"); 'y'\nz"}, "parameters": {"volume": 11}}}},
  "two-threads": {"kind": "setting", "versions": {"1": {"parameters": {"threads": 2}}}}}})";

class Fixture {
 public:
  explicit Fixture(bool sandbox, double seconds = 120) : catalog_(catalog_of(catalog_text)) {
    context_.host.hostname = "test";
    context_.cache = directory_ / "cache";
    context_.pis.native = fake_pi();
    context_.supervisor = supervisor();
    context_.stackx_version = "test";
    context_.sandbox = sandbox;
    limits_.timeout_seconds = seconds;
    limits_.memory_gib = 0.25;
  }

  Context& context() { return context_; }
  specs::CampaignSpec& limits() { return limits_; }
  const TempDirectory& directory() const { return directory_; }

  specs::Inspection inspect(const std::string& pi, std::map<std::string, std::string> params = {},
                            std::map<std::string, std::string> stack = {{"mode", "plain"}}) {
    auto result = unchecked(pi, std::move(params), std::move(stack));
    specs::seal(result);  // whatever happened makes a valid document
    const auto text = specs::to_json(result).dump();
    CHECK(specs::inspection_from(specs::Node::parse_text(text, "result")).id == result.id);
    return result;
  }

  // Workloads that no document could hold: specs refuses them, the inspector does not rely on that.
  specs::Inspection unchecked(const std::string& pi, std::map<std::string, std::string> params,
                              std::map<std::string, std::string> stack) {
    Inspector inspector(context_, catalog_, limits_);
    return inspector.inspect(specs::Stack{std::move(stack)}, {pi, std::move(params)});
  }

 private:
  TempDirectory directory_;
  specs::Catalog catalog_;
  Context context_;
  specs::CampaignSpec limits_;
};

// The runners that work here; says which one does not.
std::vector<bool> runners() {
  Fixture fixture(true);
  const auto runner = Inspector(fixture.context(), catalog_of(catalog_text), {}).runner();
  if (runner.find("no sandbox") == std::string::npos) return {true, false};
  WARN("skipped under bubblewrap: " << runner);
  return {false};
}

std::string marker() {
  static int count = 0;
  return fmt::format("marker-{}-{}", getpid(), ++count);
}

class Listening {
 public:
  Listening() : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    listen(fd_, 5);
    socklen_t size = sizeof address;
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~Listening() { close(fd_); }
  std::string port() const { return std::to_string(port_); }

 private:
  int fd_;
  int port_ = 0;
};

}  // namespace

TEST_CASE("memory of several processes is that of all, what they share counted once", "[inspector]") {
  for (const bool sandbox : runners()) {
    Fixture fixture(sandbox);
    const auto result = fixture.inspect("hold_together", {});
    INFO(result.reason);
    REQUIRE(result.outcome == Outcome::ok);
    const double all = result.metrics.at("peak_memory_bytes") / (1 << 20);
    CHECK(all > 205);
    CHECK(all < 225);
    CHECK(result.usage.max_rss_bytes < 125u << 20);
    CHECK_FALSE(fixture.inspect("good", {}).metrics.contains("peak_memory_bytes"));
  }
}

TEST_CASE("a PI that does its job becomes a whole result", "[inspector]") {
  for (const bool sandbox : runners()) {
    Fixture fixture(sandbox);
    const auto result = fixture.inspect("good", {{"m", "8"}});
    INFO(result.reason);
    CHECK(result.outcome == Outcome::ok);
    CHECK(result.reason.empty());
    CHECK(result.samples_ns == std::vector<std::int64_t>{5000000, 5000001, 4999999});
    CHECK(result.work.flop == 1e6);
    CHECK(result.check->pass);
    CHECK(result.exit_code == 0);
    CHECK(result.usage.max_rss_bytes > 0);
    CHECK(result.parameters == std::map<std::string, std::string>{{"m", "8"}});
    CHECK(result.device == result.host.fingerprint());
    CHECK(mentions(result.runner, sandbox ? "bubblewrap" : "no sandbox"));
    REQUIRE(result.phases.size() == 3);
    CHECK(result.phases[0].name == "build");
    CHECK(result.phases[1].name == "run");
    CHECK(result.phases[1].start_ns >= result.phases[0].start_ns + result.phases[0].duration_ns);
    CHECK(result.phases[2].name == "measure");
  }
}

TEST_CASE("every misbehaviour has its own outcome and a reason to read", "[inspector]") {
  struct Case {
    const char* behaviour;
    Outcome outcome;
    const char* reason;
  };
  const Case cases[] = {
      {"hang", Outcome::timed_out, "limit of 0.5 s"},
      {"spin", Outcome::timed_out, "limit of 0.5 s"},
      {"segfault", Outcome::crashed, "SIGSEGV (Segmentation fault)"},
      {"killed", Outcome::crashed, "SIGKILL"},
      {"child", Outcome::left_processes, "a process that it had started still ran"},
      {"daemon", Outcome::left_processes, "a process that it had started still ran"},
      {"garbage", Outcome::bad_output, "PI output:1:"},
      {"silence", Outcome::bad_output, "printed nothing"},
      {"two", Outcome::bad_output, "more than one JSON document"},
      {"array", Outcome::bad_output, "expected a JSON object"},
      {"nan", Outcome::invalid_samples, "not a finite number at /samples_ns/1"},
      {"negative", Outcome::invalid_samples, "negative: -3 at /samples_ns/1"},
      {"zero", Outcome::invalid_samples, "zero at /samples_ns/0"},
      {"fraction", Outcome::invalid_samples, "not a whole number: 1.5"},
      {"none", Outcome::invalid_samples, "no samples"},
      {"exit3", Outcome::failed, "exit status 3: cannot go on"},
      {"wrong", Outcome::wrong_result, "differs from the reference (itself) by 0.5"},
      {"unsupported", Outcome::unsupported, "no bfloat16 here"},
      {"many_processes", Outcome::failed, "more than 256 processes"},
  };
  for (const bool sandbox : runners()) {
    for (const auto& [behaviour, outcome, reason] : cases) {
      const bool hangs = outcome == Outcome::timed_out;
      Fixture fixture(sandbox, hangs ? 0.5 : 120);
      const auto mark = marker();
      const auto result = fixture.inspect(behaviour, {{"mark", mark}});
      INFO(behaviour << (sandbox ? " under bubblewrap: " : " without sandbox: ") << result.reason);
      CHECK(specs::to_string(result.outcome) == std::string(specs::to_string(outcome)));
      CHECK(mentions(result.reason, reason));
      CHECK(wait_for_processes(mark, 0));
    }
  }
}

TEST_CASE("a PI that prints without end is ended", "[inspector]") {
  for (const bool sandbox : runners()) {
    for (const char* behaviour : {"flood", "flood_errors"}) {
      Fixture fixture(sandbox);
      const auto mark = marker();
      const auto result = fixture.inspect(behaviour, {{"mark", mark}});
      INFO(behaviour << ": " << result.reason);
      CHECK(result.outcome == Outcome::output_limit);
      CHECK(mentions(result.reason, "16 MiB"));
      CHECK(result.stdout_tail.size() <= 4096);
      CHECK(result.stderr_tail.size() <= 4096);
      CHECK(result.usage.max_rss_bytes > 0);  // the supervisor still reported
      CHECK(wait_for_processes(mark, 0));
    }
  }
}

TEST_CASE("a PI that eats memory is ended, alone or with its children", "[inspector]") {
  for (const bool sandbox : runners()) {
    for (const char* behaviour : {"eat", "eat_together"}) {
      Fixture fixture(sandbox);
      const auto mark = marker();
      const auto result = fixture.inspect(behaviour, {{"mark", mark}});
      INFO(behaviour << ": " << result.reason);
      CHECK(result.outcome == Outcome::out_of_memory);
      CHECK(mentions(result.reason, "the limit of 0.25 GiB"));
      CHECK(wait_for_processes(mark, 0));
    }
  }
}

TEST_CASE("a PI that is not there or cannot be executed is named", "[inspector]") {
  for (const bool sandbox : runners()) {
    Fixture fixture(sandbox);
    const auto file = fixture.directory() / "pi";
    fixture.context().pis.native = file;
    auto result = fixture.inspect("good");
    CHECK(result.outcome == Outcome::missing_pi);
    CHECK(mentions(result.reason, "does not exist"));

    write(file, "\x01 no program");
    result = fixture.inspect("good");
    CHECK(result.outcome == Outcome::missing_pi);
    CHECK(mentions(result.reason, "not executable"));

    namespace fs = std::filesystem;
    if (sandbox && geteuid() == 0) {
      fs::permissions(file, fs::perms::owner_all);
      result = fixture.inspect("good");
      CHECK(result.outcome == Outcome::missing_pi);
      CHECK(mentions(result.reason, "chmod a+rx"));
    }
    fs::permissions(file, fs::perms(0755));
    result = fixture.inspect("good");
    CHECK(result.outcome == Outcome::missing_pi);
    CHECK(mentions(result.reason, "Exec format error"));

    write(file, "#!/nonexistent/interpreter\n");
    result = fixture.inspect("good");
    CHECK(result.outcome == Outcome::missing_pi);
    CHECK(mentions(result.reason, "interpreter"));
    CHECK_FALSE(result.exit_code);

    fixture.context().pis.native = fixture.directory().path();
    CHECK(mentions(fixture.inspect("good").reason, "not a file"));
  }
}

TEST_CASE("a result says which program measured it, and a rate that cannot be is no result", "[inspector]") {
  for (const bool sandbox : runners()) {
    Fixture fixture(sandbox);
    auto result = fixture.inspect("good");
    REQUIRE(result.program);
    CHECK(result.program->own);
    CHECK(result.program->sha256 == specs::sha256_file(fake_pi()));
    CHECK(result.workload.program.empty());

    fixture.context().pis.own = fake_pi();
    result = fixture.inspect("good");
    CHECK(result.outcome == Outcome::ok);
    CHECK(result.program == specs::foreign_program(fake_pi()));
    CHECK(result.workload.program == result.program->sha256);

    fixture.context().program = specs::PiProgram{false, fake_pi().string(), std::string(64, '0')};
    result = fixture.inspect("good");
    CHECK(result.outcome == Outcome::missing_pi);
    CHECK(mentions(result.reason, "changed since the campaign was planned"));

    // 1e6 flop in 5 ms are 0.2 GFLOP/s: nothing for one thread with AVX, and what "impossible" claims is too much.
    fixture.context().program.reset();
    fixture.context().host.cpu.isa = {"avx"};
    fixture.context().host.cpu.threads = 1;
    CHECK(fixture.inspect("good").outcome == Outcome::ok);
    result = fixture.inspect("impossible");
    CHECK(result.outcome == Outcome::implausible);
    CHECK(mentions(result.reason, "200000000 GFLOP/s is more than such a device can do"));
    CHECK(result.samples_ns.size() == 3);
  }
}

TEST_CASE("no shell sees names and values, and nothing leaves its directory", "[inspector]") {
  for (const bool sandbox : runners()) {
    Fixture fixture(sandbox);
    const auto canary = (fixture.directory() / "canary").string();
    const std::map<std::string, std::string> params{{"space", "a b  c"},
                                                    {"quotes", "'\"`"},
                                                    {"dollar", "$(touch " + canary + ")"},
                                                    {"semicolon", "; touch " + canary},
                                                    {"newline", "one\ntwo"},
                                                    {"dots", "../../etc/passwd"},
                                                    {"--option", "--library"},
                                                    {"glob", "*"}};
    const auto result = fixture.unchecked("echo", params, {{"mode", "loud"}});
    INFO(result.reason);
    REQUIRE(result.outcome == Outcome::ok);
    std::vector<std::string> arrived;
    for (int i = 0; result.parameters.contains(fmt::format("argv{}", i)); ++i) {
      arrived.push_back(result.parameters.at(fmt::format("argv{}", i)));
    }
    std::vector<std::string> expected;
    auto all = params;
    all["volume"] = "11";
    for (const auto& [name, value] : all) expected.push_back(name + "=" + value);
    expected.insert(expected.begin(), "echo");
    CHECK(arrived == expected);
    CHECK(result.parameters.at("env PI_SHOUT") == "$(echo \"x\"); 'y'\nz");
    CHECK_FALSE(std::filesystem::exists(canary));
    // The PI as such: a name with everything in it is one word, which this PI refuses.
    const auto odd = fixture.unchecked("../x; touch " + canary + " $(id)", {}, {{"mode", "plain"}});
    CHECK(odd.outcome == Outcome::failed);
    CHECK(mentions(odd.reason, "no such behaviour"));
    CHECK_FALSE(std::filesystem::exists(canary));
    CHECK_THROWS_AS(fixture.inspect("echo", {{"nul", std::string("a\0b", 3)}}), Error);
  }
}

TEST_CASE("the PI sees an environment of its own", "[inspector]") {
  const Variable secret("STACKX_TEST_SECRET", "hidden");
  for (const bool sandbox : runners()) {
    Fixture fixture(sandbox);
    const auto result = fixture.inspect("echo");
    INFO(result.reason);
    REQUIRE(result.outcome == Outcome::ok);
    CHECK_FALSE(result.parameters.contains("env STACKX_TEST_SECRET"));
    CHECK(result.parameters.at("env HOME") == result.parameters.at("cwd"));
    CHECK_FALSE(std::filesystem::exists(result.parameters.at("cwd") + "/.x"));
    if (sandbox) {
      CHECK(result.parameters.at("cwd") == "/tmp");
    } else {
      CHECK_FALSE(std::filesystem::exists(result.parameters.at("cwd")));  // removed afterwards
    }
  }
}

TEST_CASE("address-space randomisation stays on, CPUs are assigned, no descriptor leaks",
          "[inspector]") {
  const auto before = personality(0xffffffffUL);
  personality(static_cast<unsigned long>(before | ADDR_NO_RANDOMIZE));  // as under `setarch -R`
  const auto usable = usable_processors().size();
  for (const bool sandbox : runners()) {
    Fixture fixture(sandbox);
    const auto one = fixture.inspect("state", {{"threads", "1"}});
    INFO(one.reason);
    REQUIRE(one.outcome == Outcome::ok);
    CHECK(one.parameters.at("randomised") == "true");
    CHECK(one.parameters.at("cpus") == "1");
    CHECK(one.parameters.at("descriptors") == "3");
    CHECK(fixture.inspect("state").parameters.at("cpus") == std::to_string(usable));
    const auto two = fixture.inspect("state", {}, {{"mode", "plain"}, {"two-threads", "1"}});
    CHECK(two.parameters.at("cpus") == std::to_string(std::min<std::size_t>(2, usable)));
  }
  personality(static_cast<unsigned long>(before));
}

TEST_CASE("the sandbox has no network, no writable root, no home", "[inspector]") {
  const Listening server;
  const TempDirectory outside;
  // A home of our own: this user's may be anything.
  const TempDirectory home;
  write(home / ".ssh/key", "secret");
  const Variable variable("HOME", home.path().string());
  const auto writable = (outside / "file").string();
  for (const bool sandbox : runners()) {
    Fixture fixture(sandbox);
    const auto network = fixture.inspect("network", {{"port", server.port()}});
    const auto system = fixture.inspect("write", {{"file", "/etc/stackx-test"}});
    const auto key = fixture.inspect("read", {{"file", (home / ".ssh/key").string()}});
    if (sandbox) {
      CHECK(network.outcome == Outcome::failed);
      CHECK(mentions(network.reason, "no network"));
      CHECK(system.outcome == Outcome::failed);
      CHECK(mentions(system.reason, "cannot write there"));
      CHECK_FALSE(std::filesystem::exists("/etc/stackx-test"));
      // /tmp is the PI's own: it may write there, and nobody sees it afterwards.
      const auto scratch = fixture.inspect("write", {{"file", "/tmp/stackx-test-scratch"}});
      CHECK(scratch.outcome == Outcome::ok);
      CHECK_FALSE(std::filesystem::exists("/tmp/stackx-test-scratch"));
      CHECK(fixture.inspect("write", {{"file", writable}}).outcome == Outcome::failed);
      CHECK_FALSE(std::filesystem::exists(writable));
      CHECK(key.outcome == Outcome::failed);
      CHECK(mentions(key.reason, "cannot read that"));
      CHECK(fixture.inspect("read", {{"file", "/etc/os-release"}}).outcome == Outcome::ok);
    } else {
      // Shows that the checks above can fail: without the sandbox all of it is possible.
      CHECK(network.outcome == Outcome::ok);
      CHECK(key.outcome == Outcome::ok);
      std::filesystem::remove("/etc/stackx-test");
    }
  }
}

// What a killed process cannot remove goes with the fixture.
void leave_all_in(const TempDirectory& directory) { setenv("TMPDIR", directory.path().c_str(), 1); }

TEST_CASE("nothing survives a kill -9 of stackx", "[inspector]") {
  for (const bool sandbox : runners()) {
    for (const char* behaviour : {"hang", "eat_together", "many_processes"}) {
      Fixture fixture(sandbox, 600);
      fixture.limits().memory_gib = 100;
      const auto mark = marker();
      const bool many = behaviour == std::string("many_processes");
      const pid_t child = fork();
      if (child == 0) {
        leave_all_in(fixture.directory());
        const auto catalog = catalog_of(catalog_text);
        Inspector inspector(fixture.context(), catalog, fixture.limits());
        inspector.inspect(specs::Stack{{{"mode", "plain"}}}, {behaviour, {{"mark", mark}}});
        _exit(0);
      }
      if (!many) {
        const int least = behaviour == std::string("hang") ? 1 : 5;
        for (int i = 0; i < 6000 && processes_with(mark) < least + 1; ++i) usleep(10'000);
        CHECK(processes_with(mark) > least);  // the PI's and the supervisor
      } else {
        usleep(30'000);
      }
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      INFO(behaviour << (sandbox ? " under bubblewrap" : " without sandbox"));
      CHECK(wait_for_processes(mark, 0));
    }
  }
}

// bubblewrap's set-up takes some milliseconds, and its own --die-with-parent does not cover all of
// them.
TEST_CASE("nothing survives a kill -9 while the sandbox is being made", "[inspector]") {
  for (const bool sandbox : runners()) {
    const auto mark = marker();
    for (int i = 0; i < 40; ++i) {
      Fixture fixture(sandbox, 600);
      const auto catalog = catalog_of(catalog_text);
      Inspector inspector(fixture.context(), catalog, fixture.limits());
      const pid_t child = fork();
      if (child == 0) {
        leave_all_in(fixture.directory());
        inspector.inspect(specs::Stack{{{"mode", "plain"}}}, {"hang", {{"mark", mark}}});
        _exit(0);
      }
      usleep(static_cast<useconds_t>(i) * 400);
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
    CHECK(wait_for_processes(mark, 0));
  }
}

TEST_CASE("stop() ends an inspection at once", "[inspector]") {
  for (const bool sandbox : runners()) {
    Fixture fixture(sandbox, 600);
    fixture.context().stop = [] { return true; };
    const auto mark = marker();
    CHECK(fixture.inspect("hang", {{"mark", mark}}).reason == "interrupted");
    CHECK(wait_for_processes(mark, 0));
  }
}

TEST_CASE("a parameter set by workload and setting, or an unknown version, is bad input",
          "[inspector]") {
  Fixture fixture(false);
  try {
    fixture.inspect("good", {{"threads", "1"}}, {{"two-threads", "1"}});
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::bad_input);
    CHECK(mentions(error.what(), "parameter \"threads\" is also set by a setting"));
  }
  CHECK_THROWS_AS(fixture.inspect("good", {}, {{"mode", "unheard-of"}}), Error);
  fixture.context().supervisor = "/nonexistent/stackx-supervise";
  CHECK_THROWS_AS(fixture.inspect("good"), Error);
}
