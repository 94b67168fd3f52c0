#include "specs/python/conda_environment.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>

#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::specs {
namespace {

namespace fs = std::filesystem;

// What conda's packages are called on the package index.
const std::map<std::string, std::string>& names_on_the_index() {
  static const std::map<std::string, std::string> names{
      {"pytorch", "torch"},       {"pytorch-gpu", "torch"}, {"torchvision", "torchvision"}, {"torchaudio", "torchaudio"},
      {"tensorflow", "tensorflow"}, {"tensorflow-gpu", "tensorflow"}, {"jax", "jax"},       {"jaxlib", "jaxlib"},
      {"vllm", "vllm"},           {"mxnet", "mxnet"},   {"onnxruntime", "onnxruntime"}, {"transformers", "transformers"},
      {"numpy", "numpy"},         {"scipy", "scipy"},   {"pandas", "pandas"},           {"scikit-learn", "scikit-learn"},
      {"numba", "numba"}};
  return names;
}

// "=3.11.4=h123" -> "==3.11.4", "=3.11" and " 3.11.*" -> "==3.11.*", ">=3.10" as it is: conda's way to write versions.
std::string range_of_conda(std::string range) {
  range.erase(0, std::min(range.find_first_not_of(' '), range.size()));
  if (range.empty()) return range;
  if (range.front() >= '0' && range.front() <= '9') range = "==" + range.substr(0, range.find(' '));
  if (range.front() != '=' || range.size() < 2 || range[1] == '=') return range;
  range = "==" + range.substr(1, range.find('=', 1) - 1);
  if (std::count(range.begin(), range.end(), '.') < 2 && !range.ends_with("*")) range += ".*";
  return range;
}

// "==11.6.*" -> "11.6"; "" for a range.
std::string release_of_conda(const std::string& range) {
  if (!range.starts_with("==")) return "";
  const auto version = range.substr(2, range.find_first_not_of("0123456789.", 2) - 2);
  return minor_release(version.ends_with('.') ? version.substr(0, version.size() - 1) : version);
}

// "conda-forge::python=3.11.4=h123", "python>=3.10", "pytorch"
void read_conda_package(std::string text, const std::string& place, CondaEnvironment& environment) {
  if (const auto channel = text.find("::"); channel != text.npos) text.erase(0, channel + 2);
  const auto end = std::min(text.find_first_of("=<>!~[ "), text.size());
  const auto name = text.substr(0, end);
  const auto range = end == text.size() ? "" : range_of_conda(text.substr(end));
  if (name == "python") {
    if (!range.empty()) environment.python = python_dependency(range, place);
    return;
  }
  environment.of_conda.push_back(name);
  if (name == "cudatoolkit" || name == "pytorch-cuda" || name == "cuda-version") environment.cuda = release_of_conda(range);
  const auto found = names_on_the_index().find(name);
  if (found == names_on_the_index().end()) {
    if (name != "pip") environment.no_name.push_back(name);
    return;
  }
  if (auto dependency = parse_dependency(found->second + range)) environment.meant.push_back({std::move(*dependency), place});
}

// A line of pip's: a requirement, or an option.
void read_conda_pip(const YAML::Node& node, const std::string& place, CondaEnvironment& environment) {
  if (!node.IsScalar() || node.as<std::string>().empty()) throw bad_input(place + ": expected a requirement such as torch==2.4.0");
  const auto text = node.as<std::string>();
  if (text.starts_with("-") || text.find(" @ ") != text.npos || text.starts_with("."))
    environment.elsewhere.push_back(text);
  else
    environment.pip.push_back(read_dependency(text, place));
}

}  // namespace

bool is_conda_environment(const fs::path& file) { return file.extension() == ".yml" || file.extension() == ".yaml"; }

CondaEnvironment read_conda_environment(const fs::path& file) {
  constexpr std::size_t most_mib = 1;  // the largest have 50 KB; yaml-cpp takes some hundred bytes for each of them
  const auto text = to_utf8(read_text_file(file, "an environment file of conda", most_mib));  // messages quote it
  YAML::Node document;
  try {
    document = YAML::Load(text);
  } catch (const YAML::Exception& error) {
    throw bad_input(fmt::format("{}:{}:{}: not YAML: {}", file.string(), error.mark.line + 1, error.mark.column + 1,
                                to_utf8(error.msg)));
  }
  const auto dependencies = document.IsMap() ? document["dependencies"] : YAML::Node(YAML::NodeType::Undefined);
  if (!dependencies || !dependencies.IsSequence())
    throw bad_input(file.string() + ": has no list `dependencies`; expected an environment file of conda; projects of stackx's own are JSON");
  const auto place_of = [&](const YAML::Node& node) { return fmt::format("{}:{}", file.string(), node.Mark().line + 1); };
  CondaEnvironment environment;
  for (const auto& item : dependencies) {
    if (item.IsScalar()) {
      read_conda_package(item.as<std::string>(), place_of(item), environment);
    } else if (item.IsMap() && item["pip"] && item["pip"].IsSequence()) {
      for (const auto& package : item["pip"]) read_conda_pip(package, place_of(package), environment);
    } else {
      throw bad_input(place_of(item) + ": expected a package, or a list under `pip:`");
    }
  }
  return environment;
}

}  // namespace stackx::specs
