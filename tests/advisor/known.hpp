// Packages, facts and overlays of a test as files, and what may be asked of them.
#pragma once

#include "advisor/check/check.hpp"
#include "tests/specs/files.hpp"

namespace stackx::tests {

class Known {
 public:
  Known() {
    std::filesystem::create_directories(files_.path() / "generated");
    std::filesystem::create_directories(files_.path() / "facts");
  }

  // `versions`: the member of a package's file; `directory`: "pytorch" for PyTorch's own index
  Known& package(const std::string& name, const std::string& versions, const std::string& directory = "") {
    files_.write("generated/" + (directory.empty() ? "" : directory + "/") + name + ".json",
                 R"({"$schema": "stackx/package/1", "name": ")" + name + R"(", "as_of": "2026-11-22", "source": "PyPI: )" + name +
                     R"(", "versions": )" + versions + "}");
    return *this;
  }
  Known& facts(const std::string& list, const std::string& components = "{}", const std::string& name = "facts") {
    files_.write("facts/" + name + ".json", catalog(list, components));
    return *this;
  }
  // Later ones win.
  Known& overlay(const std::string& list, const std::string& components = "{}") {
    overlays_.push_back(files_.write("own" + std::to_string(overlays_.size()) + ".json", catalog(list, components)));
    return *this;
  }

  const std::filesystem::path& path() const { return files_.path(); }
  const std::vector<std::filesystem::path>& overlays() const { return overlays_; }
  advisor::Knowledge knowledge() const {
    return advisor::Knowledge({{path() / "generated"}, path() / "facts", overlays_});
  }
  advisor::Checked check(const advisor::Question& question) const { return advisor::check(knowledge(), question); }

 private:
  static std::string catalog(const std::string& list, const std::string& components) {
    return R"({"$schema": "stackx/catalog/1", "overlay": true, "components": )" + components + R"(, "facts": [)" + list + "]}";
  }
  Files files_;
  std::vector<std::filesystem::path> overlays_;
};

// On Python 3.11 and a CPU; the rest is set by hand.
inline advisor::Question question(const std::vector<std::string>& asked) {
  advisor::Question result;
  for (const auto& text : asked) result.asked.push_back(specs::read_dependency(text, "the test"));
  result.python = "3.11";
  result.hardware = "cpu";
  return result;
}
inline advisor::AskedGpu nvidia(const std::string& compute_capability, const std::string& name = "v100") {
  return {name, "Tesla V100", name, "nvidia", "volta", compute_capability, "", true};
}
inline advisor::Question on_gpu(const std::vector<std::string>& asked, const std::string& compute_capability, const std::string& driver = "") {
  auto result = question(asked);
  result.gpu = nvidia(compute_capability);
  result.driver = driver;
  return result;
}

}  // namespace stackx::tests
