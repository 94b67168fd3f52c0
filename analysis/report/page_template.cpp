#include "analysis/report/page_template.hpp"

#include <stdexcept>

namespace stackx::analysis {
namespace {

using Values = std::map<std::string, std::string>;

const std::string& value_of(const Values& values, const std::string& name) {
  const auto found = values.find(name);
  if (found == values.end()) throw std::invalid_argument("template: no value for {{" + name + "}}");
  return found->second;
}

}  // namespace

std::string fill(std::string_view page, const Values& values) {
  std::string text;
  while (true) {
    const std::size_t open = page.find("{{");
    text += page.substr(0, open);
    if (open == std::string_view::npos) return text;
    const std::size_t close = page.find("}}", open);
    if (close == std::string_view::npos) throw std::invalid_argument("template: {{ without }}");
    std::string name(page.substr(open + 2, close - open - 2));
    page.remove_prefix(close + 2);
    const char kind = name.empty() ? ' ' : name.front();
    if (kind != '#' && kind != '^') {
      text += value_of(values, name);
      continue;
    }
    name.erase(0, 1);
    const std::string end = "{{/" + name + "}}";
    const std::size_t at = page.find(end);
    if (at == std::string_view::npos)
      throw std::invalid_argument("template: {{" + name + "}} does not end");
    if (value_of(values, name).empty() == (kind == '^')) text += fill(page.substr(0, at), values);
    page.remove_prefix(at + end.size());
  }
}

}  // namespace stackx::analysis
