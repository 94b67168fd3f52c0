#include "specs/hardware/shared_name.hpp"

#include <algorithm>
#include <array>

#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

// Of "AMD EPYC Processor" the words that say which.
std::vector<std::string> telling_words(std::string_view name) {
  constexpr std::array<std::string_view, 8> empty = {"amd", "intel", "aws", "arm", "processor", "processors", "cpu", "server"};
  auto words = model_words(name);
  std::erase_if(words, [&](const auto& word) { return std::ranges::find(empty, word) != empty.end(); });
  return words;
}

}  // namespace

bool SharedName::is(std::string_view name) const {
  const auto words = model_words(name);
  const auto small = lowered(name);
  return std::ranges::find(names, telling_words(name)) != names.end() ||
         std::ranges::any_of(begins, [&](const auto& beginning) { return small.starts_with(beginning) && small != beginning; }) ||
         std::ranges::any_of(patterns, [&](const auto& pattern) { return pattern.matches(words); });
}

SharedName shared_name_from(const Node& node) {
  node.only({"names", "begins", "patterns", "are", "example", "sources"});
  SharedName shared;
  if (const auto names = node.find("names"))
    for (const Node& name : names->items()) shared.names.push_back(telling_words(name.nonempty()));
  if (const auto begins = node.find("begins"))
    for (const Node& beginning : begins->items()) shared.begins.push_back(beginning.nonempty());
  if (const auto patterns = node.find("patterns"))
    for (const Node& pattern : patterns->items()) shared.patterns.emplace_back(pattern.nonempty());
  shared.are = node.at("are").texts();
  if (shared.are.size() < 2) node.at("are").fail("expected at least two microarchitectures; one is a row's \"processors\"");
  if (const auto example = node.find("example")) shared.example = example->nonempty();
  return shared;
}

}  // namespace stackx::specs
