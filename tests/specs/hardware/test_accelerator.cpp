#include "specs/hardware/accelerator.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "specs/format/json.hpp"
#include "specs/hardware/name.hpp"
#include "specs/result/evidence.hpp"
#include "tests/specs/message_of.hpp"

namespace accelerator_tests {

using namespace stackx;
using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

const fs::path data = STACKX_SOURCE_DIR "/specs/data";

const Accelerators& shipped() {
  static const Accelerators table = load_accelerators(data);
  return table;
}

std::string identified(std::string_view name) {
  const auto* model = shipped().identify(name);
  return model == nullptr ? "" : model->name;
}

std::vector<std::string> names(std::string_view name) {
  std::vector<std::string> result;
  for (const auto* model : shipped().named(name)) result.push_back(model->name);
  return result;
}

Accelerators parse(const std::string& attributes) {
  const Catalog catalog = parse_catalog(Node::parse_text(
      R"({"$schema": "stackx/catalog/1", "components": {"gpu": {"kind": "hardware",
         "versioning": "opaque", "versions": {"x1": {"attributes": )" +
          attributes + "}}}}}",
      "gpus.json"));
  return Accelerators(*catalog.find("gpu"));
}

std::optional<Peak> peak(std::string_view gpu, std::string_view workload) {
  return peak_of(*shipped().identify(gpu), parse_workload(workload));
}

// What the evidence calls hardware and is no model of this catalog: processors, accelerators that
// only their makers sell, and machines that do not say what works in them.
const std::set<std::string> others{
    "iPhone 6", "iPhone 7", "Raspberry Pi 3", "Centaur Integrated AI Coprocessor", "Goya", "Hailo8",
    "HanGuang 800", "Furiosa Renegade", "Alibaba Cloud Npu",
    "Alibaba Cloud [ecs.ebman1.26xlarge]", "60 GB / 16 CPU (Google Cloud [n1-standard-16])",
    "Amazon EC2 [c5.2xlarge]", "Amazon EC2 [c5.4xlarge]", "Amazon EC2 [c5.18xlarge]"};

bool is_processor(const std::string& name) {
  for (const char* word : {"Xeon", "Cortex", "Hexagon", "Mali", "Intel Core i"})
    if (name.contains(word)) return true;
  return false;
}

}  // namespace

TEST_CASE("accelerators: the first driver is the product's, of a family that of its oldest") {
  CHECK(shipped().identify("l40s")->first_driver.since == "535.104.05");
  CHECK(shipped().first_driver("h200").since == "550.90.07");
  CHECK(shipped().first_driver("NVIDIA H100 80GB HBM3").since == "525.85.05");
  CHECK(shipped().first_driver("h100").since == "520.56.06");  // a PCIe card is one, too
  CHECK(shipped().first_driver("a100").since.empty());
  CHECK(shipped().first_driver("no such GPU").since.empty());
  CHECK_THROWS_WITH(parse(R"({"title": "X", "vendor": "nvidia", "architecture": "x", "driver_since": "R535"})"),
                    Contains("driver_since") && Contains("expected a driver such as"));
  for (const auto& model : shipped().all())
    if (!model.first_driver.since.empty())
      for (const auto& one : model.first_driver.also) CHECK_FALSE(model.first_driver.is_older(one));
}

TEST_CASE("every spelling of a GPU in the evidence is a model", "[accelerator]") {
  std::set<std::string> spellings;
  for (const auto& file : fs::recursive_directory_iterator(data / "evidence"))
    if (file.is_regular_file())
      for (const auto& row : load_evidence(file.path()).rows) spellings.insert(row.hardware);
  REQUIRE(spellings.size() > 100);
  std::size_t models = 0;
  for (const auto& name : spellings) {
    INFO(name << " is " << identified(name));
    const bool expected = !name.empty() && !others.contains(name) && !is_processor(name);
    CHECK((shipped().identify(name) != nullptr) == expected);
    models += expected;
  }
  CHECK(models > 70);
  for (const auto& name : others) CHECK(spellings.contains(name));  // no stale excuse
}

// Typed in by hand: which card a benchmark meant.
TEST_CASE("names as benchmarks, drivers and clouds write them", "[accelerator]") {
  const std::vector<std::pair<const char*, const char*>> meant{
      {"[MAXSUN] MS-Intel Arc Pro B60 Dual 48G Turbo", "arc-pro-b60"},
      {"Intel(R) Arc(TM) B580 Graphics", "arc-b580"},
      {"Intel(R) Data Center GPU Max 1550", "max-1550"},
      {"Intel Arc A770", "arc-a770"},
      {"Arc B580", "arc-b580"},
      {"v100", "v100-sxm2-16gb"},
      {"NVIDIA V100", "v100-sxm2-16gb"},
      {"tesla v100", "v100-sxm2-16gb"},
      {"V100 16GB", "v100-sxm2-16gb"},
      {"V100 32GB", "v100-sxm2-32gb"},
      {"Tesla V100-PCIE-16GB", "v100-pcie-16gb"},
      {"Tesla V100-SXM3-32GB-H", "v100-sxm3-32gb-h"},
      {"Nvidia Tesla V100 SXM3", "v100-sxm3-32gb"},
      {"16 p3.16xlarge (AWS)", "v100-sxm2-16gb"},
      {"1 ecs.gn6e-c12g1.24xlarge (AlibabaCloud)", "v100-sxm2-32gb"},
      {"Standard_NC6s_v3", "v100-pcie-16gb"},
      {"Volta", "v100-sxm2-16gb"},
      {"Nvidia TitanX", "titan-x-maxwell"},
      {"Nvidia TitanX Pascal", "titan-x-pascal"},
      {"NVIDIA Titan Xp (2017)", "titan-xp"},
      {"NVIDIA GTX TitanXp", "titan-xp"},
      {"Nvidia 1080Ti", "gtx-1080-ti"},
      {"NVIDIA GTX 1080 Ti", "gtx-1080-ti"},
      {"GTX 1080", "gtx-1080"},
      {"Nvidia Tesla M40", "m40-12gb"},
      {"NVIDIA Tesla K80", "k80"},
      {"AMD Vega Frontier Edition 16GB", "vega-frontier"},
      {"AMD MI25", "mi25"},
      {"NVIDIA A100 80GB PCIe", "a100-pcie-80gb"},
      {"A100 80GB", "a100-sxm4-80gb"},
      {"NVIDIA H100 80GB HBM3", "h100-sxm5-80gb"},
      {"nvidia-h200", "h200-sxm-141gb"},  // as a detected host is named
      {"h200", "h200-sxm-141gb"},
      {"NVIDIA H200 NVL", "h200-nvl-141gb"},
      {"NVIDIA GeForce RTX 3090", "rtx-3090"},
      {"3090 Ti 24GB", "rtx-3090-ti"},
      {"GeForce RTX 3080 Laptop GPU", "rtx-3080-laptop"},
      {"GeForce RTX 3080", "rtx-3080-10gb"},
      {"p4d.24xlarge", "a100-sxm4-40gb"},
      {"p4de.24xlarge", "a100-sxm4-80gb"},
      {"Intel Gaudi 2", "gaudi2"},
      {"Intel Gaudi 3", "gaudi3"},
      {"tpu-v3.8", "tpu-v3"}};
  for (const auto& [name, model] : meant) {
    INFO(name);
    CHECK(identified(name) == model);
  }
  for (const char* name : {"", "gpu", "16GB", "NVIDIA", "v10", "x100", "Intel Xeon E5-2650 v3"})
    CHECK(identified(name) == "");
}

TEST_CASE("a family is all its models, the most usual first", "[accelerator]") {
  CHECK(names("v100") == std::vector<std::string>{"v100-sxm2-16gb", "v100-sxm2-32gb",
                                                  "v100-sxm3-32gb", "v100-sxm3-32gb-h",
                                                  "v100-pcie-16gb", "v100-pcie-32gb",
                                                  "v100-fhhl-16gb"});
  CHECK(names("h100") == std::vector<std::string>{"h100-sxm5-80gb", "h100-pcie-80gb", "h100-nvl-94gb"});
  CHECK(names("h200") == std::vector<std::string>{"h200-sxm-141gb", "h200-nvl-141gb"});
  CHECK(names("titan x") == std::vector<std::string>{"titan-x-maxwell", "titan-x-pascal"});
  CHECK(names("rtx 3090") == std::vector<std::string>{"rtx-3090"});  // the Ti is another
  CHECK(names("hopper").size() >= 4);
}

TEST_CASE("a slice of a card is meant where somebody says MIG, and only there", "[accelerator]") {
  for (const char* family : {"a100", "a30", "h100", "h200", "b200", "ampere", "NVIDIA A100 80GB PCIe"})
    for (const auto& name : names(family)) CHECK_THAT(name, !Contains("mig"));
  CHECK(names("a100").size() == 4);
  for (const auto& name : names("a100 mig")) CHECK_THAT(name, Contains("mig"));
  CHECK(names("a100 mig").size() > 10);
  CHECK(identified("A100 MIG 1g.5gb") == "a100-sxm4-40gb-mig-1g.5gb");
  CHECK(identified("NVIDIA A100-SXM4-80GB MIG 1g.10gb") == "a100-sxm4-80gb-mig-1g.10gb");
  CHECK(identified("NVIDIA A100-SXM4-80GB MIG 9g.99gb") == "");  // not the whole card either
  const auto slice = peak("a100 mig 1g.5gb", "matmul:dtype=bfloat16"), card = peak("a100", "matmul:dtype=bfloat16");
  CHECK(slice->rate < card->rate / 6.9);
}

TEST_CASE("a slice's peaks are those of its multiprocessors", "[accelerator][facts]") {
  const auto rate = [](const char* name) { return peak(name, "matmul:dtype=bfloat16")->rate; };
  CHECK(rate("A100 SXM4 40GB MIG 1g.5gb") == Approx(312e3 * 14 / 108).epsilon(1e-3));
  CHECK(rate("A100 SXM4 40GB MIG 7g.40gb") == Approx(312e3 * 98 / 108).epsilon(1e-3));
  CHECK(rate("H100 SXM5 80GB MIG 3g.40gb") == Approx(989.4e3 * 60 / 132).epsilon(1e-3));
  CHECK(rate("H100 SXM5 80GB MIG 1g.20gb") == Approx(989.4e3 * 26 / 132).epsilon(1e-3));
  CHECK(rate("H100 SXM5 80GB MIG 7g.80gb") == 989.4e3);
  for (const auto& model : shipped().all())
    if (model.title.contains(" SMs)")) {
      INFO(model.title);
      REQUIRE(model.sms);
      CHECK(model.title.contains(std::to_string(static_cast<int>(*model.sms)) + " of "));
    }
}

// NVIDIA's white papers print both rates; what is mostly quoted of a GeForce is with float16 sums.
TEST_CASE("a peak of float16 is with sums in float32, as frameworks ask for", "[accelerator][facts]") {
  const auto usual = [](const char* name) { return peak(name, "matmul:dtype=float16,mul=float16,acc=float32")->rate / 1000; };
  const auto fast = [](const char* name) { return peak(name, "matmul:dtype=float16,mul=float16,acc=float16")->rate / 1000; };
  CHECK(usual("rtx 4090") == 165.2);
  CHECK(fast("rtx 4090") == 330);
  CHECK(usual("rtx 2080 ti") == 53.8);
  CHECK(usual("rtx 3090") == 71);
  CHECK(usual("rtx 5090") == 209.5);
  for (const char* full : {"titan rtx", "titan v", "rtx 6000 ada", "rtx a6000", "quadro rtx 5000", "a10", "l40s", "t4", "v100", "a100", "h100"}) {
    INFO(full);
    CHECK(usual(full) == fast(full));
    CHECK(usual(full) > 60);
  }
  for (const auto& model : shipped().all())
    if (model.peaks.contains("float16_tensor_float16_sums")) CHECK(model.segment == "geforce");
}

TEST_CASE("an alias belongs to one model", "[accelerator]") {
  std::map<std::string, std::string> owner;
  for (const auto& model : shipped().all()) {
    std::vector<std::string> labels{model.name, model.title};
    labels.insert(labels.end(), model.aliases.begin(), model.aliases.end());
    for (const auto& label : labels) {
      INFO(label);
      const auto [at, fresh] = owner.emplace(hardware_words(label), model.name);
      CHECK(at->second == model.name);
      CHECK(identified(label) == model.name);
    }
  }
  CHECK(owner.size() > 200);
}

TEST_CASE("what the catalog says of its models is plausible and has sources", "[accelerator]") {
  std::size_t rated = 0;
  for (const auto& model : shipped().all()) {
    INFO(model.name);
    CHECK_FALSE(model.sources.empty());
    for (const auto& source : model.sources) CHECK_THAT(source, Contains("https://"));
    CHECK(model.compute_capability.empty() == (model.vendor != "nvidia"));
    const auto rate = [&](const char* unit) {
      const auto found = model.peaks.find(unit);
      return found == model.peaks.end() ? std::optional<double>() : found->second;
    };
    const auto single = rate("float32");
    if (const auto fp64 = rate("float64"); fp64 && single) {
      CHECK(*fp64 <= *single * 1.001);
      CHECK(*fp64 >= *single / 65);
    }
    if (const auto tensor = rate("float16_tensor"); tensor && single)
      CHECK(*tensor >= 1.9 * *single);
    if (const auto half = rate("bfloat16"); half && rate("float8")) CHECK(*rate("float8") >= *half);
    // A roofline's ridge: today's devices do 10 to 500 flop per byte.
    if (single && model.bandwidth_gb_s) {
      ++rated;
      CHECK(*single * 1000 / *model.bandwidth_gb_s > 7);
      CHECK(*single * 1000 / *model.bandwidth_gb_s < 120);
    }
  }
  CHECK(rated > 55);
  const auto& v100 = *shipped().identify("v100");
  CHECK(v100.title == "Tesla V100 SXM2 16GB");
  CHECK(v100.architecture == "volta");
  CHECK(v100.compute_capability == "7.0");
  CHECK(v100.memory_gb == 16.);
  CHECK(v100.bandwidth_gb_s == 900.);
  CHECK(v100.tdp_w == 300.);
  CHECK(v100.peaks == std::map<std::string, double>{
                          {"float64", 7.8}, {"float32", 15.7}, {"float16_tensor", 125}});
}

TEST_CASE("the peak of a memory is that of what measures it, not of what copies to a GPU or between GPUs", "[accelerator]") {
  const auto& h200 = *shipped().identify("h200");
  const auto of = [&](const char* text, const char* unit) { return peak_of(h200, parse_workload(text), unit); };
  const auto memory = of("memory_bandwidth:loop=triad", "GB/s");
  REQUIRE(memory);
  CHECK(memory->rate == h200.bandwidth_gb_s);
  CHECK(memory->unit == "memory");
  CHECK(std::string(memory->rate_unit()) == "GB/s");
  for (const char* other : {"transfer:direction=h2d", "all_reduce:bytes=9", "stream:kernel=triad", "matmul:dtype=float32"})
    CHECK_FALSE(of(other, "GB/s"));
  CHECK_FALSE(of("memory_bandwidth", "ms"));
  CHECK(of("matmul:dtype=float32", "GFLOP/s")->rate == peak("h200", "matmul:dtype=float32")->rate);
  CHECK(std::string(of("matmul:dtype=float32", "GFLOP/s")->rate_unit()) == "GFLOP/s");
}

TEST_CASE("what multiplies float16 on a card with tensor cores is these, stated or not", "[accelerator]") {
  for (const auto& model : shipped().all()) {
    if (model.compute_capability.empty() || std::stod(model.compute_capability) < 7) continue;
    INFO(model.name);
    const auto found = peak_of(model, parse_workload("matmul:dtype=float16"));
    CHECK((!found || found->unit == "float16_tensor"));
  }
  CHECK(peak("rtx 6000 ada", "matmul:dtype=float16")->rate == Approx(364250));
  CHECK(peak("rtx 6000 ada", "matmul:dtype=bfloat16")->rate == Approx(364250));
  CHECK(peak("rtx pro 6000 blackwell max-q", "matmul:dtype=bfloat16")->rate == Approx(438900));
  CHECK(peak("h100 nvl", "matmul:dtype=bfloat16")->rate == Approx(835500));
  CHECK(peak("rtx 4090", "matmul:dtype=bfloat16")->rate == Approx(165200));  // with float32 sums: half of float16's
  CHECK_FALSE(peak("gb10", "matmul:dtype=float16"));
  CHECK(peak("p100", "matmul:dtype=float16")->unit == "float16");
}

TEST_CASE("the peak is that of the unit which multiplies such numbers", "[accelerator]") {
  CHECK(peak("v100", "matmul:dtype=float32")->rate == Approx(15700));
  CHECK(peak("v100", "matmul:dtype=float16")->unit == "float16_tensor");
  CHECK(peak("v100", "matmul:dtype=float32,mul=float16,acc=float32")->rate == Approx(125000));
  CHECK(peak("p100", "matmul:dtype=float16,mul=float32,acc=float32")->unit == "float32");
  CHECK(peak("a100", "matmul:dtype=float32")->rate == Approx(19500));  // not tensorfloat32's
  CHECK(peak("a100", "matmul:dtype=tensorfloat32")->rate == Approx(156000));
  CHECK(peak("a100", "matmul:dtype=float64")->unit == "float64_tensor");
  CHECK(peak("h200", "matmul:dtype=float64")->rate == Approx(67000));  // 33.5 TFLOP/s without tensor cores
  CHECK(peak("h100-pcie-80gb", "matmul:dtype=float64")->rate == Approx(51000));
  CHECK(peak("h200 nvl", "matmul:dtype=float64")->rate == Approx(60000));
  CHECK(peak("v100", "matmul:dtype=float64")->unit == "float64");  // has no such tensor cores
  CHECK(peak("h200", "matmul:dtype=fp8")->unit == "float8");       // as stackx-pi calls it
  CHECK(peak("v100", "matmul:dtype=complex128")->rate == Approx(7800));
  CHECK(peak("titan v", "matmul:dtype=float16")->unit == "float16_tensor");
  CHECK(peak("t4", "matmul:dtype=int8,mul=int8,acc=int32")->rate == Approx(130000));
  CHECK(peak("h100", "matmul:dtype=float8_e4m3")->unit == "float8");
  CHECK_FALSE(peak("t4", "matmul:dtype=float64"));   // no source states it
  CHECK_FALSE(peak("v100", "matmul:m=512"));         // of what?
  CHECK_FALSE(peak("v100", "matmul:dtype=int8"));    // has none
  CHECK_FALSE(peak("v100", "matmul:dtype=decimal"));
}

TEST_CASE("a misspelt model brings the nearest", "[accelerator]") {
  const auto first = [](std::string_view name) { return shipped().nearest(name).at(0); };
  CHECK(first("v10") == "v100");
  CHECK(first("h1000") == "h100");
  CHECK(first("a1000") == "a100");
  CHECK(first("telsa v100-sxm2-16gb") == "Tesla V100 SXM2 16GB");
  CHECK(shipped().nearest("quantum").empty());
  CHECK(shipped().nearest("v10").size() <= 3);
}

TEST_CASE("mistakes in the catalog are named", "[accelerator]") {
  const std::string rest = R"("vendor": "nvidia", "architecture": "volta")";
  CHECK_THAT(message_of([&] { parse("{" + rest + "}"); }),
             Contains("gpus.json: /components/gpu/versions/x1/attributes/title: missing"));
  CHECK_THAT(
      message_of([&] { parse(R"({"title": "X", "float32_tflops": "fast", )" + rest + "}"); }),
      Contains("float32_tflops: \"fast\" is no number above 0"));
  CHECK_THAT(message_of([&] { parse(R"({"title": "X", "tdp_w": -3, )" + rest + "}"); }),
             Contains("tdp_w: \"-3\" is no number above 0"));
  CHECK_THAT(message_of([&] { parse(R"({"title": "X", "aliases": "Y", )" + rest + "}"); }),
             Contains("aliases: expected a list"));
  CHECK_THAT(message_of([&] { parse(R"({"title": ["X"], )" + rest + "}"); }),
             Contains("title: expected one value, not a list"));
  CHECK_THAT(message_of([&] { parse(R"({"title": "X", "floot64_tflops": 3, )" + rest + "}"); }),
             Contains("unknown rate; did you mean \"float64\"?"));
  CHECK(parse(R"({"title": "X", "memory_gib": "16", )" + rest + "}").all().size() == 1);
}

}  // namespace accelerator_tests
