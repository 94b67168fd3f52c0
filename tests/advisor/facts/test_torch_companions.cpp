// The builds of torchvision and torchaudio beside torch's.
#include "advisor/facts/torch_companions.hpp"

#include <catch2/catch.hpp>

#include "specs/version/version_text.hpp"

namespace torch_companions_tests {

using namespace stackx::advisor;
using namespace stackx::specs;

namespace {

PackageRelease release(const char* version, const std::vector<std::string>& requires_, const std::vector<std::string>& machines) {
  PackageRelease one;
  one.version = pep440_version(version);
  one.requires_ = requires_;
  one.source = true;
  for (const auto& machine : machines) one.wheels.push_back({{"cp310"}, {"cp310"}, {"manylinux1_" + machine}});
  return one;
}

Package torch() {
  return {"torch", "", "", {release("2.1.0", {}, {"x86_64", "aarch64"}), release("2.1.0+cpu", {}, {"x86_64", "aarch64"}),
                            release("2.1.0+cu118", {}, {"x86_64"}), release("2.1.1+cu118", {}, {"x86_64"})}};
}

std::vector<std::string> shown(const std::vector<PackageRelease>& builds) {
  std::vector<std::string> texts;
  for (const auto& one : builds) {
    auto text = one.version.text() + " needs";
    for (const auto& requirement : *one.requires_) text += " " + requirement;
    for (const auto& tags : one.wheels) text += " " + tags.platforms.front();
    texts.push_back(text);
  }
  return texts;
}

}  // namespace

TEST_CASE("torch companions: a build for each of the torch that they are pinned to, on its machines") {
  const Package vision{"torchvision", "", "", {release("0.16.0", {"numpy", "torch (==2.1.0)"}, {"x86_64", "aarch64"})}};
  const auto builds = companion_builds(vision, torch());
  CHECK(shown(builds) == std::vector<std::string>{"0.16.0+cpu needs numpy torch==2.1.0+cpu manylinux1_x86_64 manylinux1_aarch64",
                                                  "0.16.0+cu118 needs numpy torch==2.1.0+cu118 manylinux1_x86_64"});
  for (const auto& one : builds) CHECK_FALSE(one.source);
}

TEST_CASE("torch companions: a range of torch stays, and has each build once") {
  const Package vision{"torchvision", "", "", {release("0.29.0", {"torch (>=2.1.0)"}, {"x86_64"})}};
  CHECK(shown(companion_builds(vision, torch())) ==
        std::vector<std::string>{"0.29.0+cpu needs torch (>=2.1.0) manylinux1_x86_64", "0.29.0+cu118 needs torch (>=2.1.0) manylinux1_x86_64"});
}

TEST_CASE("torch companions: what is listed already, or asks for no torch, has none added") {
  const Package vision{"torchvision", "", "",
                       {release("0.16.0", {"torch (==2.1.0)"}, {"x86_64"}), release("0.16.0+cpu", {"torch (==2.1.0)"}, {"x86_64"})}};
  CHECK(shown(companion_builds(vision, torch())) == std::vector<std::string>{"0.16.0+cu118 needs torch==2.1.0+cu118 manylinux1_x86_64"});
  CHECK(companion_builds({"torchaudio", "", "", {release("0.1", {"numpy"}, {"x86_64"})}}, torch()).empty());
}

}  // namespace torch_companions_tests
