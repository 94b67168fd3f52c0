// Manifests as people read them: golden texts, and what settings change in them.
//
// Rewrite the texts with STACKX_GOLDEN=write and read what changed. tests/cli/schedulers/test_kubernetes.py gives them to a validator.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <sstream>

#include "campaigns/cluster/kubernetes/config_map.hpp"
#include "campaigns/cluster/kubernetes/pod.hpp"
#include "specs/error.hpp"
#include "tests/campaigns/cluster/kubernetes/frozen.hpp"

using namespace stackx;
using namespace stackx::campaigns::cluster;
using Json = nlohmann::json;

namespace {

constexpr const char* on_volume =
    R"({"image": "registry.example/stackx:1", "volume": {"persistentVolumeClaim": {"claimName": "stackx"}}})";
constexpr const char* sending = R"({"image": "registry.example/stackx:1", "send": "https://collector.example/in"})";

std::string joined(const std::vector<SubmittedText>& texts) {
  std::string all;
  for (const auto& one : texts) all += (all.empty() ? "" : "---\n") + one.text;
  return all;
}

void check_golden(const std::string& name, const std::string& text) {
  const auto file = std::string(STACKX_SOURCE_DIR "/tests/campaigns/cluster/kubernetes/golden/") + name;
  const char* mode = std::getenv("STACKX_GOLDEN");
  if (mode != nullptr && std::string(mode) == "write") std::ofstream(file) << text;
  std::ifstream in(file);
  std::stringstream known;
  known << in.rdbuf();
  CHECK(text == known.str());
}

const Json& pod_spec(const Manifest& manifest) { return manifest.job.at("spec").at("template").at("spec"); }
const Json& container(const Manifest& manifest) { return pod_spec(manifest).at("containers").at(0); }

std::string after(const Json& command, const std::string& option) {
  for (std::size_t i = 0; i + 1 < command.size(); ++i)
    if (command[i] == option) return command[i + 1];
  return "";
}

std::string with(const std::string& members) { return R"({"image": "i", "send": "https://x", )" + members + "}"; }

}  // namespace

TEST_CASE("manifests read like this") {
  check_golden("gpu-volume.yaml", joined(texts_of(Frozen(on_volume).manifest(), 4)));
  check_golden("gpu-send.yaml", joined(texts_of(Frozen(sending).manifest(), 4)));
  check_golden("cpu-volume.yaml", joined(texts_of(Frozen(on_volume, false).manifest({7}), 4)));
  const Frozen all(R"json({"image": "i", "namespace": "bench", "nodeSelector": {"gpu": "h100"}, "send": "https://x/?a=$(POD_UID)",
    "tolerations": [{"key": "gpu", "operator": "Exists"}], "systemNamespaces": [], "resource": "amd.com/gpu", "gpus": 2,
    "cpus": 12, "memory_gib": 2.0001,
    "overlay": {"spec": {"template": {"spec": {"priorityClassName": "low", "enableServiceLinks": null}}}}})json",
                   false);
  check_golden("cpu-send-all.yaml", joined(texts_of(all.manifest(), 4)));
}

TEST_CASE("names fit pods, whatever a target is called and however often it is submitted") {
  Frozen frozen(sending);
  frozen.campaign.targets[0].target.name = std::string(20, 'x');
  CHECK(job_name(frozen.asked(), 99'999'999'999) == "stackx-3f2a09c1d2e4-xxxxxxxxxxxxxxxxxxxx-99999999999");
  CHECK(job_name(frozen.asked(), 99'999'999'999).size() <= 52);
}

TEST_CASE("a ConfigMap has the waves that its blocks belong to, and nothing that pods do not read") {
  const Frozen frozen(sending);
  const auto keys = [&](const Blocks& blocks) {
    std::vector<std::string> names;
    const auto manifest = frozen.manifest(blocks);
    for (const auto& [key, value] : manifest.config_map.at("data").items()) names.push_back(key);
    return names;
  };
  CHECK(keys({0, 7}) == std::vector<std::string>{"campaign.json", "h100.blas.json", "h100.project.json", "h100.wave-0.json"});
  CHECK(keys({7, 8}).back() == "h100.wave-1.json");
  CHECK(keys({16}).back() == "h100.wave-2.json");
  CHECK_THROWS_WITH(frozen.manifest({24}), Catch::Contains("wave-3.json") && Catch::Contains("block 24"));
}

TEST_CASE("names that are no keys are keys nevertheless, each its own") {
  const Frozen frozen(sending);
  frozen.write("h100/a b.json", "1\n");
  frozen.write("h100/a\xc3\xa4.json", "2\n");
  frozen.write("h100/a_b.json", "3\n");
  const auto manifest = frozen.manifest();
  const auto& data = manifest.config_map.at("data");
  for (const auto& item : pod_spec(manifest).at("volumes").at(1).at("configMap").at("items")) {
    const std::string key = item.at("key"), path = item.at("path");
    CHECK(key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") == key.npos);
    std::stringstream text;
    text << std::ifstream(frozen.root / path).rdbuf();
    CHECK(data.at(key) == text.str());
  }
  CHECK(data.size() == 8);  // three of these, five of every such campaign
}

TEST_CASE("what a ConfigMap cannot hold is read from the volume, or refused") {
  const std::string large(most_config_map_bytes, 'x');
  const Frozen volume(on_volume), send(sending);
  volume.write("h100/large.json", large);
  send.write("h100/large.json", large);
  const auto manifest = volume.manifest();
  CHECK(manifest.config_map.is_null());
  CHECK(texts_of(manifest, 4).size() == 1);
  CHECK(container(manifest).at("command").at(3) == "/shared/stackx/3f2a09c1d2e4");
  CHECK(pod_spec(manifest).at("volumes").size() == 2);
  CHECK_THROWS_WITH(send.manifest(), Catch::Contains("bytes") && Catch::Contains("\"volume\""));
}

TEST_CASE("pods run as whom the spool belongs to, else as nobody") {
  const auto identity = [](const char* target, uid_t uid) {
    const Frozen frozen(target);
    return pod_spec(manifest_of(frozen.asked(), {0, {0}}, {uid, 5})).at("securityContext");
  };
  CHECK(identity(on_volume, 1000).at("runAsUser") == 1000);
  CHECK(identity(on_volume, 1000).at("runAsNonRoot") == true);
  CHECK(identity(on_volume, 0).at("runAsUser") == 0);
  CHECK_FALSE(identity(on_volume, 0).contains("runAsNonRoot"));
  CHECK(identity(sending, 0).at("runAsUser") == 65534);
}

TEST_CASE("CPUs and memory are what inspections need, whole") {
  const auto limits = [](const std::string& members, bool gpu = true) {
    const auto manifest = Frozen(with(members), gpu).manifest();
    CHECK(container(manifest).at("resources").at("requests") == container(manifest).at("resources").at("limits"));
    return container(manifest).at("resources").at("limits");
  };
  CHECK(limits(R"("cpus": 0)") == Json{{"cpu", "6"}, {"memory", "5Gi"}, {"nvidia.com/gpu", "1"}});
  CHECK(limits(R"("cpus": 2, "memory_gib": 0.7)", false) == Json{{"cpu", "2"}, {"memory", "717Mi"}});
  CHECK(limits(R"("gpus": 4, "resource": "amd.com/gpu")", false).at("amd.com/gpu") == "4");
}

TEST_CASE("pods have a GPU where the target's project is on one, though no stack names it") {
  const Frozen frozen(sending, false);
  const auto limits = [&] { return container(frozen.manifest()).at("resources").at("limits"); };
  CHECK_FALSE(limits().contains("nvidia.com/gpu"));
  frozen.write("cpu/project.json", R"({"hardware": {"gpu": "v100"}})");
  CHECK(limits().at("nvidia.com/gpu") == "1");
}

TEST_CASE("commands have no variables but ours") {
  const Frozen frozen(R"({"image": "i", "send": "https://x/$(HOME)$$"})");
  const auto manifest = frozen.manifest();
  const auto& command = container(manifest).at("command");
  CHECK(after(command, "--send") == "https://x/$$(HOME)$$$$");
  CHECK(after(command, "--blocks") == "0-2,9");
  CHECK(after(command, "--index") == "$(JOB_COMPLETION_INDEX)");
}

TEST_CASE("an overlay comes last, and may not hide the Job from us") {
  const auto job = [](const std::string& overlay) { return Frozen(with("\"overlay\": " + overlay)).manifest().job; };
  CHECK(job(R"({"spec": {"backoffLimitPerIndex": 1}})").at("spec").at("backoffLimitPerIndex") == 1);
  CHECK_FALSE(job(R"({"spec": {"ttlSecondsAfterFinished": null}})").at("spec").contains("ttlSecondsAfterFinished"));
  CHECK(job(R"({"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "q"}}})").at("metadata").at("labels").size() == 6);
  for (const char* overlay :
       {R"({"metadata": {"name": "x"}})", R"({"metadata": {"labels": null}})", R"({"spec": {"completions": 9}})",
        R"({"metadata": {"annotations": {"stackx.dev/blocks": "1"}}})", R"({"spec": {"template": null}})"})
    CHECK_THROWS_WITH(job(overlay), Catch::Contains("\"overlay\" changes /"));
  // A merge replaces lists whole, and nothing of the container would be left.
  CHECK_THROWS_WITH(job(R"({"spec": {"template": {"spec": {"containers": [{"name": "block", "env": [{"name": "A", "value": "1"}]}]}}}})"),
                    Catch::Contains("/spec/template/spec/containers") && Catch::Contains("replaces that list whole"));
  CHECK(job(R"({"spec": {"template": {"spec": {"initContainers": [{"name": "warm", "image": "w"}]}}}})").at("spec").at("template").at("spec").at("containers").size() == 1);
}

TEST_CASE("the token of who takes the documents comes from a Secret") {
  const Frozen with_token(R"({"image": "i", "send": "https://x", "tokenSecret": {"name": "stackx"}})");
  const auto env = container(with_token.manifest()).at("env");
  CHECK(env.back() == Json::parse(R"({"name": "STACKX_TOKEN", "valueFrom": {"secretKeyRef": {"name": "stackx", "key": "token"}}})"));
  CHECK(container(Frozen(sending).manifest()).at("env").dump().find("STACKX_TOKEN") == std::string::npos);
}

TEST_CASE("comments speak of what stands there") {
  const auto text = joined(texts_of(Frozen(with(R"("overlay": {"spec": {"ttlSecondsAfterFinished": 60}})")).manifest(), 0));
  CHECK(text.find("# It and its ConfigMap") == text.npos);
  CHECK(text.find("# A node to itself") != text.npos);
}

TEST_CASE("a volume stands at no place that pods have already") {
  for (const char* spool : {"/", "/tmp", "/tmp/", "/stackx/campaign", "/a/../tmp", "/a:b"}) {
    Frozen frozen(on_volume);
    frozen.campaign.settings.spool = spool;
    CHECK_THROWS_WITH(frozen.manifest(), Catch::Contains("spool"));
  }
}

TEST_CASE("a Job takes no more blocks than Kubernetes") {
  const Frozen frozen(sending);
  Blocks blocks(most_blocks_of_a_job + 1);
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = i;
  CHECK_THROWS_WITH(frozen.manifest(blocks), Catch::Contains("100001 blocks"));
}

TEST_CASE("a block of several nodes is as many indices, and a name by which they find the first") {
  Frozen frozen(on_volume);
  frozen.campaign.targets[0].target.nodes = 2;
  const auto manifest = frozen.manifest({0, 1, 2, 9});
  const auto& spec = manifest.job.at("spec");
  CHECK(spec.at("completions") == 8);
  CHECK(spec.at("parallelism") == 6);  // three blocks at once
  CHECK(pod_spec(manifest).at("subdomain") == manifest.job.at("metadata").at("name"));
  const auto& command = container(manifest).at("command");
  CHECK(after(command, "--nodes") == "2");
  CHECK(after(command, "--meet") == "stackx-3f2a09c1d2e4-h100-4-*.stackx-3f2a09c1d2e4-h100-4:29400");
  CHECK(manifest.service.at("spec").at("clusterIP") == "None");
  CHECK(manifest.service.at("spec").at("selector") == spec.at("template").at("metadata").at("labels"));
  const auto texts = texts_of(manifest, 4);
  CHECK(texts.size() == 3);
  CHECK(texts[1].name == "job-4-service.yaml");
  CHECK(blocks_of_indices(manifest.job) == Blocks{0, 0, 1, 1, 2, 2, 9, 9});
  CHECK(Frozen(on_volume).manifest().service.is_null());
  Frozen changed(R"({"image": "i", "send": "https://x", "overlay": {"spec": {"template": {"spec": {"subdomain": "other"}}}}})");
  changed.campaign.targets[0].target.nodes = 2;
  CHECK_THROWS_AS(changed.manifest(), Error);
}
