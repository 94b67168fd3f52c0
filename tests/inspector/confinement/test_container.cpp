#include <catch2/catch.hpp>

#include <algorithm>

#include "inspector/confinement/container.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;

namespace {

Engine podman() {
  Engine engine;
  engine.program = "/usr/bin/podman";
  engine.kind = "podman";
  engine.version = "4.3.1";
  engine.runtime = "runc";
  engine.options = {"--runtime", "runc"};
  engine.limits = {"--ulimit", "nofile=1024:1024"};
  engine.memory = engine.pids = engine.cpuset = true;
  engine.cgroups = "v2";
  return engine;
}

Confinement some() {
  Confinement confinement;
  confinement.visible = {"/cache/tree"};
  confinement.memory_bytes = 1 << 30;
  confinement.cpus = {1, 3};
  confinement.image = "sha256:abc";
  return confinement;
}

bool holds(const Words& words, const Words& part) {
  return std::search(words.begin(), words.end(), part.begin(), part.end()) != words.end();
}

// The value after an option.
std::string value(const Words& words, const std::string& option) {
  const auto found = std::find(words.begin(), words.end(), option);
  return found == words.end() || found + 1 == words.end() ? "" : *(found + 1);
}

}  // namespace

TEST_CASE("a container has nothing that a run does not need", "[container]") {
  const Container container(podman(), "/opt/stackx-supervise");
  const auto words = container.wrap(some());
  CHECK(holds(words, {"/usr/bin/podman", "--runtime", "runc", "run", "--rm"}));
  CHECK(value(words, "--network") == "none");
  CHECK(holds(words, {"--cap-drop", "all"}));
  CHECK(holds(words, {"--security-opt", "no-new-privileges"}));
  CHECK(holds(words, {"--read-only"}));
  CHECK(holds(words, {"--pull=never"}));
  CHECK(holds(words, {"--ulimit", "nofile=1024:1024"}));
  CHECK(value(words, "--cpuset-cpus") == "1,3");
  CHECK(std::stoull(value(words, "--memory")) > some().memory_bytes);  // the supervisor ends it first
  CHECK(value(words, "--memory") == value(words, "--memory-swap"));
  CHECK(std::stoull(value(words, "--pids-limit")) >= some().processes);
  CHECK(holds(words, {"--mount", R"(type=bind,"source=/cache/tree","target=/cache/tree",readonly)"}));
  CHECK(holds(words, {"--mount",
                      R"(type=bind,"source=/opt/stackx-supervise","target=/opt/stackx-supervise",readonly)"}));
  CHECK(value(words, "--user") == "0:0");  // not the image's, who would keep what the supervisor may
  CHECK(holds(words, {"--no-healthcheck"}));
  CHECK(holds(words, {"--image-volume=ignore"}));
  CHECK(words.back() == "sha256:abc");  // what follows is the program
  CHECK_FALSE(holds(words, {"--device"}));
  CHECK_FALSE(holds(words, {"--privileged"}));
}

TEST_CASE("what is to be seen twice is mounted once", "[container]") {
  auto confinement = some();
  confinement.visible = {"/opt/libblas.so", "/cache/tree", "/opt/libblas.so"};
  const auto words = Container(podman(), "/opt/stackx-supervise").wrap(confinement);
  CHECK(std::ranges::count(words, bind_mount("/opt/libblas.so", false)) == 1);
  CHECK(std::ranges::count(words, bind_mount("/cache/tree", false)) == 1);
}

TEST_CASE("a container begins in /tmp, or where the program's files are", "[container]") {
  auto with_files = some();
  CHECK(value(Container(podman(), "/s").wrap(with_files), "--workdir") == "/tmp");
  with_files.directory = "/home/u/data";
  CHECK(value(Container(podman(), "/s").wrap(with_files), "--workdir") == "/home/u/data");
}

TEST_CASE("limits that control groups do not enforce here are not asked for", "[container]") {
  auto engine = podman();
  engine.memory = engine.pids = engine.cpuset = false;
  const auto words = Container(engine, "/s").wrap(some());
  for (const char* option : {"--memory", "--memory-swap", "--pids-limit", "--cpuset-cpus"})
    CHECK_FALSE(holds(words, {option}));
  auto all = some();
  all.cpus.clear();
  CHECK_FALSE(holds(Container(podman(), "/s").wrap(all), {"--cpuset-cpus"}));
}

TEST_CASE("a build has network and a directory to write to, and nothing else more", "[container]") {
  auto build = some();
  build.network = true;
  build.writable = {"/cache/wheels/a.partial-1"};
  const auto words = Container(podman(), "/s").wrap(build);
  CHECK(value(words, "--network") == "host");
  CHECK(holds(words, {"--mount", R"(type=bind,"source=/cache/wheels/a.partial-1","target=/cache/wheels/a.partial-1")"}));
  CHECK(holds(words, {"--read-only"}));
  CHECK(holds(words, {"--cap-drop", "all"}));
}

TEST_CASE("GPUs come through their CDI names", "[container]") {
  auto gpu = some();
  gpu.gpus = {"nvidia.com/gpu=0", "nvidia.com/gpu=3"};
  const auto words = Container(podman(), "/s").wrap(gpu);
  CHECK(holds(words, {"--device", "nvidia.com/gpu=0", "--device", "nvidia.com/gpu=3"}));
}

TEST_CASE("every container has a name of its own, by which it is ended", "[container]") {
  const TempDirectory root;
  testing::write(root / "podman", "#!/bin/sh\nprintf '%s\\n' \"$@\" > '" + (root / "argv").string() + "'\n");
  std::filesystem::permissions(root / "podman", std::filesystem::perms::owner_all);
  auto engine = podman();
  engine.program = root / "podman";
  const Container container(engine, "/s");
  const auto words = container.wrap(some());
  CHECK(value(words, "--name") != value(container.wrap(some()), "--name"));
  container.clean_up(words);
  CHECK(read(root / "argv") == "--runtime\nrunc\nrm\n--force\n" + value(words, "--name") + "\n");
}

TEST_CASE("a mounted path is one field of one record, whatever it holds", "[container]") {
  CHECK(bind_mount("/a", false) == R"(type=bind,"source=/a","target=/a",readonly)");
  CHECK(bind_mount("/a", true) == R"(type=bind,"source=/a","target=/a")");
  CHECK(bind_mount("/a b,target=/etc", true) ==
        R"(type=bind,"source=/a b,target=/etc","target=/a b,target=/etc")");
  CHECK(bind_mount("/a\"b", true) == R"(type=bind,"source=/a""b","target=/a""b")");
  CHECK(bind_mount("/$(id);\n'", true) == "type=bind,\"source=/$(id);\n'\",\"target=/$(id);\n'\"");
}
