// What is well known of GPUs, drivers, CUDA and frameworks, derived by the resolver alone from the
// catalogs that come with stackx. Numbers here are typed in by hand, not read from the data.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fmt/format.h>

#include "resolver/resolver.hpp"
#include "specs/format/json.hpp"
#include "tests/resolver/oracle.hpp"

namespace stackx::test {
namespace {

using specs::Catalog;
using specs::Stack;
using Names = std::vector<std::string>;

const Names files{"gpus.json", "cuda.json",           "cudnn.json",       "nccl.json",
                  "gpu-tensorflow.json", "gpu-pytorch.json", "gpu-jax.json", "ngc.json"};

const Catalog& shipped() {
  static const Catalog catalog = [] {
    std::vector<std::filesystem::path> paths;
    for (const auto& file : files)
      paths.push_back(std::filesystem::path(STACKX_SOURCE_DIR) / "specs/data" / file);
    Catalog all = specs::load_catalogs(paths);
    specs::check(all, "the GPU catalogs");
    return all;
  }();
  return catalog;
}

specs::Project project(const std::string& gpu, const std::string& requires_,
                       const std::string& pins = "", const Catalog& catalog = shipped()) {
  const std::string text = fmt::format(
      R"({{"$schema": "stackx/project/1", "name": "known truths", "catalogs": ["gpus.json"],
           "requires": {{{}}}, "hardware": {{"gpu": "{}"}}, "pins": {{{}}}}})",
      requires_, gpu, pins);
  return specs::parse_project(specs::Node::parse_text(text, "project"), catalog);
}

resolver::Resolver resolver_for(const std::string& gpu, const std::string& requires_,
                                const std::string& pins = "") {
  return {project(gpu, requires_, pins), shipped()};
}

const std::string library = R"("gpu-library": "*")";

std::string cuda(const std::string& range) { return fmt::format(R"("cuda": "{}")", range); }

// The versions of a component that are in any stack, oldest first.
Names present(const resolver::Resolver& resolver, const std::string& component) {
  const auto shares = resolver.shares();
  Names result;
  for (const auto& known : resolver.components())
    if (known.name == component)
      for (const auto& version : known.versions)
        if (shares.at(component).at(version) > 0) result.push_back(version);
  return result;
}

bool begins(const Names& versions, const std::string& prefix) {
  return !versions.empty() && std::ranges::all_of(versions, [&](const std::string& version) {
           return version.starts_with(prefix);
         });
}

// The catalog with nothing but these versions.
Catalog narrowed(const std::map<std::string, std::set<std::string>>& kept) {
  Catalog result = shipped();
  std::erase_if(result.components, [&](const auto& one) { return !kept.contains(one.first); });
  for (auto& [name, component] : result.components)
    std::erase_if(component.versions, [&](const specs::VersionEntry& entry) {
      return !kept.at(name).contains(entry.version.text());
    });
  for (const auto& [name, versions] : kept)
    REQUIRE(result.components.at(name).versions.size() == versions.size());
  return result;
}

}  // namespace

TEST_CASE("GPUs go with the CUDA releases that know them and have not dropped them",
          "[gpu-catalogs]") {
  struct Known {
    const char *gpu, *none, *some;
  };
  // First what must have no stack, then what must have one.
  const std::vector<Known> known{
      {"v100-sxm2-16gb", ">=13", ">=12.9,<13"},     {"v100-sxm2-16gb", "<9", "==9.0.*"},
      {"h100-sxm5-80gb", "<11.8", "==11.8.*"},      {"h200-sxm-141gb", "<11.8", ">=13"},
      {"k80", ">=12", "==11.4.*"},                  {"t4", "<9", "==9.0.*"},  // machine code for 7.0
      {"a100-sxm4-40gb", "<11", "==11.0.*"},        {"rtx-3090", "<11", "==11.0.*"},
      {"b200", "<12.8", "==12.8.*"},                {"gtx-1080-ti", ">=13", "==8.0.*"},
      {"rtx-2080-ti", "<9", ">=13"},                {"rtx-5090", "<12.8", ">=13"},
      {"l4", "<11", "==11.7.*"},                    {"b300", "<12.8", "==12.8.*"}};
  for (const auto& [gpu, none, some] : known) {
    INFO(gpu);
    CHECK(resolver_for(gpu, library, cuda(none)).count() == 0);
    CHECK(resolver_for(gpu, library, cuda(some)).count() > 0);
  }
  for (const char* gpu : {"mi300x", "tpu-v3"})  // neither has a compute capability
    CHECK(resolver_for(gpu, library).count() == 0);
}

TEST_CASE("TensorFlow 1.13 and 1.14 on a GPU mean CUDA 10.0 and cuDNN 7", "[gpu-catalogs]") {
  for (const char* version : {"1.13.1", "1.14.0"}) {
    const auto resolver =
        resolver_for("v100-sxm2-16gb", fmt::format(R"("tensorflow": "=={}")", version));
    CHECK(resolver.count() > 0);
    CHECK(present(resolver, "cuda") == Names{"10.0.130"});
    CHECK(begins(present(resolver, "cudnn"), "7."));
    CHECK(present(resolver, "driver").front() == "410.48");
    CHECK(present(resolver, "python").back() == "3.7");
  }
  const auto why = resolver_for("h100-sxm5-80gb", R"("tensorflow": "==1.14.0")").explain();
  REQUIRE(why);
  INFO(why->text());
  CHECK(why->text().contains("tensorflow ==1.14.0"));
  CHECK(why->text().contains("gpu.compute_capability"));
  CHECK(why->text().contains("h100-sxm5-80gb"));
}

TEST_CASE("A driver ends the CUDA releases", "[gpu-catalogs]") {
  const auto newest = [](const char* driver) {
    return present(resolver_for("v100-sxm2-16gb", library,
                                fmt::format(R"("driver": "=={}")", driver)),
                   "cuda")
        .back();
  };
  CHECK(newest("418.67") == "10.1.243");
  CHECK(newest("384.81") == "9.0.176");
  CHECK(newest("410.48") == "10.0.130");
  CHECK(newest("440.33.01") == "10.2.89");
  CHECK(newest("450.80.02") == "11.8.0");   // minor version compatibility
  CHECK(newest("525.85.12") == "12.9.2");
  // R580 is the last branch for Volta, R470 the last for Kepler.
  const auto last = [](const char* gpu) {
    return present(resolver_for(gpu, library), "driver").back();
  };
  CHECK(last("v100-sxm2-16gb").starts_with("580."));
  CHECK(last("gtx-1080-ti").starts_with("580."));
  CHECK(last("k80").starts_with("470."));
  CHECK_FALSE(last("t4").starts_with("580."));
}

TEST_CASE("The newest that a V100 can have, and what keeps the newer ones away",
          "[gpu-catalogs]") {
  const auto resolver = resolver_for("v100-sxm2-16gb", library);
  CHECK(present(resolver, "cuda").back() == "12.9.2");
  CHECK(present(resolver, "cudnn").back() == "9.10.2");
  const auto why = resolver.explain("cuda", "13.0.0");
  REQUIRE(why);
  INFO(why->text());
  CHECK(why->text().contains("gpu.compute_capability >=7.5"));
  CHECK(why->text().contains("v100-sxm2-16gb"));
  const auto cudnn = resolver.explain("cudnn", "9.17.0");
  REQUIRE(cudnn);
  CHECK(cudnn->text().contains("gpu.compute_capability >=7.5"));
  CHECK_FALSE(resolver.explain("cuda", "12.9.2"));
  // PyTorch's CUDA 12.8 builds began without Volta, had it from 2.8 to 2.10, and dropped it with 2.11; those for 12.6
  // keep it.
  const Names torch = present(resolver, "torch");
  const auto has = [&](const char* version) { return std::ranges::count(torch, version) == 1; };
  CHECK(has("2.8.0+cu126"));
  CHECK(has("2.14.1+cu126"));
  CHECK_FALSE(has("2.7.1+cu128"));
  CHECK(has("2.8.0+cu128"));
  CHECK(has("2.10.0+cu128"));
  CHECK_FALSE(has("2.11.0+cu128"));
  CHECK_FALSE(has("2.14.1+cu130"));
}

// Red Hat and Supermicro's white paper on MLPerf Training v0.6 and NVIDIA's submission 0.6-9.
TEST_CASE("Both stacks of the white paper are stacks", "[gpu-catalogs]") {
  const Stack supermicro{{{"gpu", "v100-sxm2-16gb"}, {"driver", "418.67"}, {"cuda", "10.1.168"},
                          {"cudnn", "7.5.0"}, {"python", "3.6"}, {"torch", "1.1.0a0+828a6a3"}}};
  const Stack nvidia{{{"gpu", "v100-sxm2-16gb"}, {"driver", "418.67"}, {"cuda", "10.1.163"},
                      {"cudnn", "7.6.0"}, {"nccl", "2.4.6"}, {"python", "3.6"},
                      {"torch", "1.1.0a0+828a6a3"}, {"ngc", "pytorch-19.05"}}};
  for (const auto& roots : {library, std::string(R"("gpu-library": "*", "cudnn": "*")"),
                            std::string(R"("torch": "*")")}) {
    const auto wanted = project("v100-sxm2-16gb", roots);
    const auto wrong = [&](Stack stack, const char* component, const char* version) {
      if (component) stack.components[component] = version;
      return resolver::violation(wanted, shipped(), stack).value_or("");
    };
    CHECK(wrong(supermicro, nullptr, nullptr) == "");
    CHECK(wrong(nvidia, nullptr, nullptr) == "");
    CHECK(wrong(nvidia, "cudnn", "7.5.0") != "");   // the container holds another
    CHECK(wrong(nvidia, "cuda", "10.1.168") != "");
    CHECK(wrong(nvidia, "driver", "410.48") != "");
    CHECK(wrong(nvidia, "python", "3.5") != "");
    CHECK(wrong(supermicro, "cudnn", "7.4.2") != "");
    CHECK(wrong(supermicro, "cuda", "10.2.89") != "");
    CHECK(wrong(supermicro, "cuda", "10.1.163") != "");  // only in the container
    CHECK(wrong(supermicro, "nccl", "2.4.6") != "");     // nobody asks for it
  }
}

TEST_CASE("The count is that of trying everything", "[gpu-catalogs]") {
  const Catalog few = narrowed({{"gpu", {"v100-sxm2-16gb"}},
                                {"driver", {"384.81", "418.67", "450.80.02", "590.44.01"}},
                                {"cuda", {"10.0.130", "10.1.163", "10.1.168", "11.0.3", "13.0.0"}},
                                {"cublas", {"10.1", "11.0"}},
                                {"cudnn", {"7.5.0", "7.6.0", "8.0.5"}},
                                {"nccl", {"2.4.6", "2.16.5"}},
                                {"python", {"3.6", "3.8"}},
                                {"tensorflow", {"1.13.1", "2.4.0"}},
                                {"torch", {"1.1.0a0+828a6a3", "1.8.0+cu111", "1.7.1+cu110"}},
                                {"jax", {"0.2.9+cuda110"}},
                                {"ngc", {"pytorch-19.05", "tensorflow-19.05"}},
                                {"nvidia-tensorflow", {"1.13.1+nv19.05"}}});
  for (const auto& roots : {library, std::string(R"("gpu-library": "*", "cudnn": "*")"),
                            std::string(R"("gpu-framework": "*")")}) {
    const auto wanted = project("v100-sxm2-16gb", roots, "", few);
    const resolver::Resolver resolver(wanted, few);
    const Oracle oracle(wanted, few);
    std::set<Stack> tried, listed;
    for (const auto& assignment : oracle.stacks()) tried.insert(oracle.named(assignment));
    resolver.enumerate([&](const resolver::Choice& choice) {
      return listed.insert(resolver.stack(choice)).second;
    });
    CHECK(resolver.count() == tried.size());
    CHECK(listed == tried);
    CHECK(tried.size() > 10);
    for (const auto& stack : tried)
      CHECK(resolver::violation(wanted, few, stack).value_or("") == "");
  }
}

// The parts are other problems to the engine: other orders of elimination, smaller tables.
TEST_CASE("The count is the sum over the releases of CUDA", "[gpu-catalogs]") {
  std::set<std::string> releases;
  for (const auto& entry : shipped().find("cuda")->versions) {
    const auto& text = entry.version.text();
    releases.insert(text.substr(0, text.find('.', text.find('.') + 1)));
  }
  for (const char* gpu : {"v100-sxm2-16gb", "h100-sxm5-80gb"}) {
    resolver::BigInt sum = 0;
    for (const auto& release : releases)
      sum += resolver_for(gpu, library + ", " + cuda("==" + release + ".*")).count();
    CHECK(sum == resolver_for(gpu, library + ", " + cuda("*")).count());
    CHECK(sum > 1'000'000);
  }
}

TEST_CASE("A GPU's stacks are counted, drawn and sound", "[gpu-catalogs]") {
  const auto providers = {"cublas", "tensorflow", "nvidia-tensorflow", "torch", "jax", "mxnet"};
  for (const char* gpu : {"v100-sxm2-16gb", "h100-sxm5-80gb"}) {
    const auto resolver = resolver_for(gpu, library);
    const auto wanted = project(gpu, library);
    std::set<std::string> libraries;
    resolver.draw(300, 42, [&](const resolver::Choice& choice) {
      const Stack stack = resolver.stack(choice);
      CHECK(resolver::violation(wanted, shipped(), stack).value_or("") == "");
      for (const char* name : providers)
        if (stack.components.contains(name)) libraries.insert(name);
    });
    CHECK(libraries.contains("jax"));
    // The parts make the whole: each stack has exactly one library.
    resolver::BigInt sum = 0;
    const auto shares = resolver.shares();
    for (const char* name : providers)
      for (const auto& [version, count] : shares.at(name)) sum += count;
    CHECK(sum == resolver.count());
    CHECK(resolver.count() > 1'000'000);
  }
}

TEST_CASE("Every fact of the GPU catalogs has a source", "[gpu-catalogs]") {
  std::size_t versions = 0, wheels = 0;
  for (const auto& [name, component] : shipped().components) {
    CHECK_FALSE(component.description.empty());
    for (const auto& entry : component.versions) {
      INFO(name << " " << entry.version.text());
      ++versions;
      CHECK_FALSE(entry.sources.empty());
      for (const auto& source : entry.sources) CHECK(source.contains("(read 2026-"));
      for (const auto& artifact : entry.artifacts)
        if (artifact.type == specs::ArtifactType::wheel) {
          ++wheels;
          CHECK(artifact.sha256.size() == 64);
          const std::string version = artifact.package_version.empty() ? entry.version.text()
                                                                       : artifact.package_version;
          CHECK(artifact.file.contains("-" + version + "-"));
        }
    }
  }
  CHECK(versions > 1000);
  CHECK(wheels > 300);
}

}  // namespace stackx::test
