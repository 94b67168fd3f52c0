#include <algorithm>
#include <catch2/catch.hpp>

#include "specs/format/json.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/specs/samples.hpp"

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;

namespace {

Host again(const Host& host) {
  return host_from(Node::parse_text(canonical(to_json(host)), "host.json"));
}

}  // namespace

TEST_CASE("a host is the same after writing and reading") {
  for (const Host& host : {sample_host(), Host{}}) {
    CHECK(to_json(again(host)) == to_json(host));
    CHECK(again(host).fingerprint() == host.fingerprint());
  }
}

TEST_CASE("the fingerprint is that of the machine, not of its state or name") {
  const std::string fingerprint = sample_host().fingerprint();
  CHECK(fingerprint.size() == 64);
  const auto changed = [&](auto change) {
    Host host = sample_host();
    change(host);
    return host.fingerprint() != fingerprint;
  };
  CHECK_FALSE(changed([](Host& host) { host.hostname = "other"; }));
  CHECK_FALSE(changed([](Host& host) { host.kernel = "6.12"; }));
  CHECK_FALSE(changed([](Host& host) { host.governor = "powersave"; }));
  CHECK_FALSE(changed([](Host& host) { host.memory_bytes += 100'000'000; }));
  CHECK_FALSE(changed([](Host& host) { host.cpu.isa.push_back("ibrs_enhanced"); }));
  CHECK_FALSE(changed([](Host& host) { std::reverse(host.cpu.isa.begin(), host.cpu.isa.end()); }));
  CHECK_FALSE(
      changed([](Host& host) { std::reverse(host.cpu.caches.begin(), host.cpu.caches.end()); }));
  CHECK_FALSE(changed([](Host& host) { host.gpus[0].uuid = "GPU-2"; }));
  CHECK(changed([](Host& host) { host.cpu.model += "+"; }));
  CHECK(changed([](Host& host) { host.cpu.stepping = 9; }));
  CHECK(changed([](Host& host) { host.cpu.cores = 4; }));
  CHECK(changed([](Host& host) { host.cpu.quota = 2; }));
  CHECK(changed([](Host& host) { std::erase(host.cpu.isa, "avx512f"); }));
  CHECK(changed([](Host& host) { host.cpu.caches[1].bytes /= 2; }));
  CHECK(changed([](Host& host) { host.memory_bytes *= 2; }));
  CHECK(changed([](Host& host) { host.gpus.clear(); }));
}

TEST_CASE("the host as versions of cpu and gpu") {
  const Host host = sample_host();
  const VersionEntry cpu = host.cpu_entry();
  CHECK(cpu.version.text() == "sapphire-rapids");
  CHECK(cpu.version.scheme() == Versioning::opaque);
  CHECK(std::get<std::vector<std::string>>(cpu.attributes.at("isa")) == host.cpu.isa);
  CHECK(std::get<std::string>(cpu.attributes.at("cores")) == "8");
  CHECK(std::get<std::string>(cpu.attributes.at("memory_gib")) == "32");
  const auto needs = [](const char* key, const char* value) {
    return parse_requirement(key, Node::parse_text(value, "r"), Versioning::opaque);
  };
  CHECK(holds(needs("cpu.isa", R"({"contains": ["avx2", "fma"]})"), cpu));
  CHECK(holds(needs("cpu.vendor", R"("==intel")"), cpu));
  const VersionEntry gpu = host.gpu_entry().value();
  CHECK(gpu.version.text() == "nvidia-h200");
  CHECK(holds(needs("gpu.compute_capability", R"(">=8.0,<9.1")"), gpu));
  CHECK(std::get<std::string>(gpu.attributes.at("memory_gib")) == "140");
  CHECK_FALSE(Host{}.gpu_entry());
  CHECK(Host{}.cpu_entry().version.text() == "unknown");
}

TEST_CASE("names of GPUs become versions") {
  Host host = sample_host();
  host.gpus[0].model = "NVIDIA GeForce RTX 4090 (Ti) / x";
  CHECK(host.gpu_entry()->version.text() == "nvidia-geforce-rtx-4090-ti-x");
  host.gpus[0].model = "Tesla V100-SXM2-16GB";
  CHECK(host.gpu_entry()->version.text() == "tesla-v100-sxm2-16gb");
}

TEST_CASE("mistakes in a host name their place") {
  Json json = to_json(sample_host());
  const auto refusal = [&](const char* pointer, Json value) {
    Json wrong = json;
    wrong[Json::json_pointer(pointer)] = std::move(value);
    return message_of([&] { host_from(Node::parse_text(wrong.dump(), "h.json")); });
  };
  CHECK_THAT(refusal("/cpu/coers", 3),
             Contains("h.json: /cpu: unknown key \"coers\"; did you mean \"cores\"?"));
  CHECK_THAT(refusal("/cpu/cores", 1'000'000'000'000), Contains("/cpu/cores: "));
  CHECK_THAT(refusal("/memory_bytes", -1), Contains("/memory_bytes: "));
  CHECK_THAT(refusal("/gpus/0/uuid", nullptr), Contains("/gpus/0: the key \"uuid\" is missing"));
}
