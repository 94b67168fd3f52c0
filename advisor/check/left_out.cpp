#include "advisor/check/left_out.hpp"

#include <algorithm>

#include "advisor/facts/frameworks.hpp"
#include "specs/python/pep508.hpp"

namespace stackx::advisor {
namespace {

// What is left out may be cut short: the end of a wheel's name is not there.
std::string name_in(std::string text) {
  if (const auto egg = text.find("#egg="); egg != text.npos) {
    text = text.substr(egg + 5);
  } else if (!text.contains(" @ ")) {
    text.resize(std::min(text.find(' '), text.size()));
    text.erase(0, text.rfind('/') + 1);  // npos + 1: nothing
    for (std::size_t at = 1; at + 1 < text.size(); ++at)
      if (text[at] == '-' && text[at + 1] >= '0' && text[at + 1] <= '9') text.resize(at);  // torch-2.1.0-cp310...
    if (const auto git = text.find(".git"); git != text.npos) text.resize(git);
  }
  return specs::normalized_name(text.substr(0, text.find_first_of(" @=<>![;&")));
}

}  // namespace

std::string framework_left_out(const Knowledge& knowledge, const std::vector<std::string>& skipped) {
  for (const auto& one : skipped)
    if (is_framework(knowledge.real_name(name_in(one))) && !one.contains("(not for ")) return one;
  return "";
}

}  // namespace stackx::advisor
