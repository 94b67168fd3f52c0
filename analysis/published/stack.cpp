#include "analysis/published/stack.hpp"
#include "specs/version/text_scanner.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

namespace stackx::analysis {
namespace {

// As published -> as the catalogs name it; "": no part of a stack.
constexpr std::array<std::pair<std::string_view, std::string_view>, 24> names{{
    {"container", "ngc"},
    {"nvidia_driver", "driver"},
    {"pytorch", "torch"},
    {"tensorflow-gpu", "tensorflow"},
    {"tensorflow_commit", "tensorflow"},
    {"tensorflow_runtime", "tensorflow"},
    {"cpu", ""},
    {"container_min", ""},
    {"container_os", ""},
    {"dali", ""},
    {"glibc", ""},
    {"horovod", ""},
    {"icc", ""},
    {"intel_mpi", ""},
    {"kernel", ""},
    {"linux_kernel", ""},
    {"mofed", ""},
    {"openmpi", ""},
    {"os", ""},
    {"os_32", ""},
    {"os_64", ""},
    {"apt", ""},
    {"gpu", ""},
    {"host", ""},
}};

// Frameworks as sentences name them, in lower case; the longer first where one begins another.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> frameworks{{
    {"tensorflow", "tensorflow"},
    {"pytorch", "torch"},
    {"mxnet", "mxnet"},
    {"caffe2", "caffe2"},
    {"caffe", "caffe"},
    {"chainer", "chainer"},
    {"tensorrt", "tensorrt"},
    {"paddlepaddle", "paddlepaddle"},
    {"jax", "jax"},
}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What follows the framework's name, if it is a version: " v1.12.2" -> "1.12.2".
std::string version_at(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  if (text.size() > 1 && text[0] == 'v' && is_digit(text[1])) text.remove_prefix(1);
  if (text.empty() || !is_digit(text[0])) return "";
  return std::string(text.substr(0, text.find_first_of(" ,;()")));
}

struct Framework {
  std::string component, version;
  bool all = false;  // the sentence says nothing else
};

std::optional<Framework> framework_of(const std::string& sentence) {
  const std::string text = specs::lowered(sentence);
  for (const auto& [name, component] : frameworks)
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
      if (at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1]))) continue;
      const std::string version = version_at(std::string_view(text).substr(at + name.size()));
      if (version.empty()) continue;
      const bool all = at == 0 && text.ends_with(version);
      return Framework{std::string(component), version, all};
    }
  return std::nullopt;
}

bool names_only(const std::string& sentence) {
  const std::string text = specs::lowered(sentence);
  return std::ranges::any_of(frameworks, [&](const auto& entry) { return text == entry.first; });
}

void put_framework(const std::string& sentence, PublishedStack& result) {
  auto& components = result.stack.components;
  const auto framework = framework_of(sentence);
  if (framework) components.emplace(framework->component, framework->version);
  const bool told = components.contains("ngc") || components.contains("tensorflow") ||
                    components.contains("torch") || components.contains("mxnet");
  if (framework && framework->all) return;
  if (framework || told)
    result.besides["framework"] = sentence;
  else
    components["framework"] = names_only(sentence) ? specs::lowered(sentence) : sentence;
}

}  // namespace

std::string ngc_version(const std::string& image) {
  std::string version = image;
  std::ranges::replace(version, ':', '-');
  for (const std::string_view suffix : {"-py3", "-py2"})
    if (version.ends_with(suffix)) version.resize(version.size() - suffix.size());
  return version;
}

PublishedStack published_stack(const std::map<std::string, std::string>& components) {
  PublishedStack result;
  for (const auto& [name, version] : components) {
    if (name == "framework") continue;
    const auto known =
        std::ranges::find(names, name, &std::pair<std::string_view, std::string_view>::first);
    if (known == names.end())
      result.stack.components[name] = version;
    else if (known->second.empty())
      result.besides[name] = version;
    else if (known->second == "ngc")
      result.stack.components["ngc"] = ngc_version(version);
    else if (const std::string now(known->second); components.contains(now))
      result.besides[name] = version;
    else
      result.stack.components.emplace(now, version);
  }
  if (const auto framework = components.find("framework"); framework != components.end())
    put_framework(framework->second, result);
  return result;
}

}  // namespace stackx::analysis
