// The scheduler through a kubectl: tests/cli/schedulers/kubectl_stub.py, which plays a cluster.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <sstream>

#include "campaigns/cluster/kubernetes/kubectl.hpp"
#include "campaigns/cluster/kubernetes/kubernetes.hpp"
#include "inspector/process/process.hpp"
#include "specs/error.hpp"
#include "tests/campaigns/cluster/kubernetes/frozen.hpp"

using namespace stackx;
using namespace stackx::campaigns::cluster;
using Catch::Contains;

namespace {

// $PATH and what else the stub needs, for as long as it lives. No pod ever starts: images cannot be fetched.
class PlayedCluster {
 public:
  PlayedCluster() : path_(std::getenv("PATH")) {
    char place[] = "/tmp/stackx-kubectl-XXXXXX";
    directory_ = mkdtemp(place);
    std::filesystem::create_directories(directory_ / "bin");
    std::ofstream(directory_ / "bin/kubectl")
        << "#!/bin/sh\nexec '" STACKX_TEST_PYTHON "' -B '" STACKX_SOURCE_DIR "/tests/cli/schedulers/kubectl_stub.py' \"$@\"\n";
    std::filesystem::permissions(directory_ / "bin/kubectl", std::filesystem::perms::owner_all);
    setenv("PATH", ((directory_ / "bin").string() + ":" + path_).c_str(), 1);
    setenv("KUBECTL_STUB", directory_.c_str(), 1);
    set("{}");
  }
  ~PlayedCluster() {
    setenv("PATH", path_.c_str(), 1);
    std::filesystem::remove_all(directory_);
  }

  void set(const std::string& settings) const {
    auto all = nlohmann::json::parse(settings);
    all["image"] = "ImagePullBackOff";
    std::ofstream(directory_ / "settings.json") << all.dump();
  }
  std::string calls() const {
    std::stringstream text;
    text << std::ifstream(directory_ / "calls").rdbuf();
    return text.str();
  }
  static bool has_yaml() {
    inspector::Command command;
    command.argv = {STACKX_TEST_PYTHON, "-c", "import yaml"};
    const bool found = inspector::run(command).ok();
    if (!found) WARN("not tested: no PyYAML in " STACKX_TEST_PYTHON);
    return found;
  }

 private:
  std::string path_;
  std::filesystem::path directory_;
};

constexpr const char* target = R"({"image": "i", "send": "https://x", "namespace": "bench", "context": "gpu"})";

}  // namespace

TEST_CASE("blocks are submitted once, seen and cancelled") {
  if (!PlayedCluster::has_yaml()) return;
  const PlayedCluster cluster;
  const Frozen frozen(target);
  const auto scheduler = make_kubernetes(frozen.asked());
  CHECK(scheduler->queue().is_known);
  CHECK(scheduler->queue().tasks.empty());
  const std::vector<std::string> jobs{"stackx-3f2a09c1d2e4-h100-0"};
  CHECK(scheduler->submit({0, {0, 1, 5}}) == jobs);
  CHECK(scheduler->submit({0, {0, 1, 6}}) == jobs);  // after a crash, which knew better: what is there stays
  const auto queue = scheduler->queue();
  REQUIRE(queue.is_known);
  CHECK(queue.tasks.size() == 3);
  CHECK(queue.tasks[2].block == 5);
  CHECK_THAT(queue.tasks[0].why, Contains("its image cannot be fetched"));
  CHECK(std::filesystem::exists(frozen.root / "h100/job-0.yaml"));
  CHECK_THAT(cluster.calls(), Contains("\"--context=gpu\", \"--namespace=bench\", \"--request-timeout=30s\""));
  CHECK_THAT(cluster.calls(), Contains("ownerReferences"));
  scheduler->cancel();
  CHECK(scheduler->queue().tasks.empty());
  scheduler->cancel();  // nothing there is no error
}

TEST_CASE("a cluster that does not answer is unknown, and says what to do") {
  if (!PlayedCluster::has_yaml()) return;
  const PlayedCluster cluster;
  const Frozen frozen(target);
  const auto scheduler = make_kubernetes(frozen.asked());
  const auto why = [&](const std::string& settings) {
    cluster.set(settings);
    const auto queue = scheduler->queue();
    CHECK_FALSE(queue.is_known);
    CHECK(queue.tasks.empty());
    return queue.why_unknown;
  };
  CHECK_THAT(why(R"({"away": true})"), Contains("connection to the server") && Contains("What to do: is the API server up"));
  CHECK_THAT(why(R"({"forbidden": ["list pods"]})"), Contains("cannot list resource \"pods\"") && Contains("ask for a Role"));
  CHECK_THAT(why(R"({"contexts": ["cpu"]})"), Contains("\"gpu\" does not exist") && Contains("get-contexts"));
  CHECK_THAT(why(R"({"said": "error: x\nWarning: y"})"), Contains("error: x") && !Contains("Warning"));
  cluster.set(R"({"away": true})");
  CHECK_THROWS_WITH(scheduler->submit({0, {0}}), Contains("stackx-3f2a09c1d2e4-h100-0: not submitted") && Contains("API server"));
  CHECK_THROWS_WITH(scheduler->cancel(), Contains("not cancelled") && Contains("API server"));
  cluster.set(R"({"forbidden": ["create configmaps"]})");
  CHECK_THROWS_WITH(scheduler->submit({0, {0}}), Contains("configmaps"));
  cluster.set("{}");
  CHECK(scheduler->queue().tasks.empty());  // and no Job that would wait for its ConfigMap
  cluster.set(R"({"namespaces": ["default"]})");
  CHECK_THROWS_WITH(scheduler->submit({0, {0}}), Contains("namespaces \"bench\" not found") && Contains("\"namespace\""));
}

TEST_CASE("kubectl that is not there is said to be not there") {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const Frozen frozen(target);
  const auto queue = make_kubernetes(frozen.asked())->queue();
  setenv("PATH", path.c_str(), 1);
  CHECK_FALSE(queue.is_known);
  CHECK_THAT(queue.why_unknown, Contains("kubectl is not installed"));
}

TEST_CASE("what kubectl says has an advice that fits") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"Error from server (Forbidden): jobs.batch \"x\" is forbidden: exceeded quota: q, requested: count/jobs.batch=1", "quota"},
      {"Error from server (Forbidden): jobs.batch is forbidden: User \"u\" cannot create resource \"jobs\"", "Role"},
      {"Error from server (Forbidden): pods \"x\" is forbidden: violates PodSecurity \"restricted:latest\"", "securityContext"},
      {"Error from server (Forbidden): pods \"x\" is forbidden: maximum cpu usage per Container is 2", "limitranges"},
      {"error: You must be logged in to the server (Unauthorized)", "log in"},
      {"The connection to the server localhost:8080 was refused - did you specify the right host or port?", "$KUBECONFIG"},
      {"Unable to connect to the server: dial tcp: lookup api: no such host", "API server up"},
      {"Unable to connect to the server: net/http: TLS handshake timeout", "API server"},
      {"Error from server (BadRequest): strict decoding error: unknown field \"spec.podReplacementPolicy\"", "1.29"},
  };
  for (const auto& [said, advice] : cases) CHECK_THAT(kubectl_advice(said), Contains(advice));
  CHECK(kubectl_advice("error: something else").empty());
}
