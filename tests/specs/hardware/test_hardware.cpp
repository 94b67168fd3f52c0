#include <algorithm>
#include <catch2/catch.hpp>

#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/hardware/accelerator.hpp"
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

TEST_CASE("what joins GPUs is read as it was written, all of it or some") {
  Host host = sample_host();
  host.gpus.push_back(host.gpus[0]);
  host.gpus.push_back(host.gpus[0]);
  host.gpus[0].numa_node = 0;
  host.gpus[0].pcie = PcieLink{5, 16};
  host.gpu_links = {{0, 1, GpuPath::system, 0, 18, 4, true},
                    {0, 2, std::nullopt, std::nullopt, std::nullopt, std::nullopt, false},
                    {1, 2, GpuPath::internal}};
  CHECK(again(host).gpu_links == host.gpu_links);
  CHECK(again(host).gpus[0].numa_node == 0);
  CHECK(again(host).gpus[0].pcie == PcieLink{5, 16});
  CHECK_FALSE(again(host).gpus[1].pcie);
  CHECK(to_json(again(host)) == to_json(host));
  for (const auto path : {GpuPath::internal, GpuPath::single_switch, GpuPath::multiple_switches,
                          GpuPath::host_bridge, GpuPath::numa_node, GpuPath::system}) {
    host.gpu_links[0].path = path;
    CHECK(again(host).gpu_links[0].path == path);
  }
  CHECK(to_string(GpuPath::host_bridge) == "host_bridge");
}

// Documents of before there were links: their text, and so every id that is made of it, stays.
TEST_CASE("a host of which no links are known is written as ever") {
  CHECK(
      canonical(to_json(sample_host())["gpus"]) ==
      R"([{"compute_capability":"9.0","memory_bytes":150754820096,"model":"NVIDIA H200","pci":"0000:1b:00.0","uuid":"GPU-1"}])");
  CHECK(sample_host().fingerprint() ==
        "01446f9fc49d72b1f67fb61e59deeefe0d11469e07f8ba76cc350b06d692f165");
  CHECK(sha256(canonical(to_json(sample_host()))) ==
        "f147b61154266992b72beaba6ae0c810fb1f1ee5acbab6f0290da07615746cca");
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
  CHECK_FALSE(changed([](Host& host) { host.gpus[0].numa_node = 1; }));
  CHECK_FALSE(changed([](Host& host) { host.gpus[0].pcie = PcieLink{4, 16}; }));
  CHECK_FALSE(changed([](Host& host) { host.gpu_links = {{0, 1, GpuPath::system}}; }));
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

TEST_CASE("a driver's name is a model of the catalog as `advise --hw` reads it") {
  const std::string data = STACKX_SOURCE_DIR "/specs/data";
  const auto catalog = load_catalog(data + "/gpus.json");
  const auto& gpu = *catalog.find("gpu");
  const auto accelerators = load_accelerators(data);
  for (const char* model : {"NVIDIA H200", "NVIDIA H100 80GB HBM3", "Tesla V100-SXM2-16GB", "NVIDIA A100-SXM4-80GB", "NVIDIA A100-SXM4-40GB",
                            "Tesla T4", "NVIDIA L4", "NVIDIA GeForce RTX 4090", "NVIDIA H200 NVL"}) {
    INFO(model);
    const auto* known = gpu_called(gpu, model);
    REQUIRE(known != nullptr);
    CHECK(known->version.text() == accelerators.identify(model)->name);
    Gpu card;
    card.model = model;
    CHECK(is_model_of(known->version.text(), card, &gpu));
  }
  CHECK(gpu_called(gpu, "NVIDIA H2000") == nullptr);  // more than a name is another model
  CHECK(gpu_called(gpu, "NVIDIA H200 Prototype") == nullptr);
  Gpu h200;
  h200.model = "NVIDIA H200";
  CHECK(is_model_of("nvidia-h200", h200, nullptr));
  CHECK_FALSE(is_model_of("h200-nvl-141gb", h200, &gpu));
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
  CHECK_THAT(refusal("/gpus/0/pcie", {{"generation", 4}}),
             Contains("/gpus/0/pcie: the key \"width\" is missing"));
  CHECK_THAT(refusal("/gpus/0/numa_node", "0"),
             Contains("/gpus/0/numa_node: expected a whole number"));
  for (const auto& [a, b] : {std::pair(0, 1), std::pair(0, 0)})
    CHECK_THAT(refusal("/gpu_links", Json::array({{{"a", a}, {"b", b}}})),
               Contains("/gpu_links/0: expected a < b"));
  json["gpus"].push_back(json["gpus"][0]);
  CHECK_THAT(refusal("/gpu_links", Json::array({{{"a", 0}, {"b", 1}, {"path", "PIX"}}})),
             Contains("/gpu_links/0/path: unknown path \"PIX\"; expected internal, single_switch"));
  CHECK_THAT(refusal("/gpu_links", Json::array({{{"a", 1}, {"b", 0}}})),
             Contains("/gpu_links/0: expected a < b"));
  CHECK_THAT(refusal("/gpus/0/uuid", nullptr), Contains("/gpus/0: the key \"uuid\" is missing"));
}
