#include "cli/served/requirements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "specs/error.hpp"
#include "specs/python/build_index.hpp"
#include "specs/python/package_list.hpp"
#include "specs/version/version_text.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {
namespace {

constexpr const char* from_environment = "`pip freeze | stackx check - --server URL` sends what is installed";

// Of constraints (-c) only what some requirement is about: alone they ask for nothing.
void add_requirements(const specs::PackageList& list, const std::string& word, const std::string& python, std::vector<std::string>& all) {
  for (const auto& [dependency, place] : list.dependencies) all.push_back(dependency.text());
  for (const auto& [constraint, place] : list.constraints)
    if (std::ranges::any_of(list.dependencies, [&](const auto& one) { return one.dependency.name == constraint.name; }))
      all.push_back(constraint.text());
    else
      workspace::remark("not sent: {} ({}: a constraint alone asks for nothing)\n", constraint.text(), place);
  if (!specs::pytorch_label(list.index).empty()) workspace::remark("{} names the index {}, which is not sent; --index-url is\n", word, list.index);
  for (const auto* urls : {&list.extra_indexes, &list.first_indexes})
    for (const auto& one : *urls)
      if (!specs::pytorch_label(one).empty())
        workspace::remark("{} names the index {}, which is not sent; --extra-index-url is\n", word, one);
  for (const auto& [package, index] : list.own_index)
    if (!specs::pytorch_label(index.url).empty())
      workspace::remark("{} takes {} from the index {}, which is not sent; --index-url is\n", word, package, index.url);
  if (!list.skipped.empty()) workspace::remark("not sent: {}\n", fmt::join(list.skipped, ", "));
  if (list.python && python.empty())
    workspace::remark("{} is for Python {}, which is not sent; --python X.Y is\n", word, list.python->text());
}

}  // namespace

std::vector<std::string> requirements_for_server(const advisor::CheckRequest& request) {
  const auto context = advisor::context_of(request, "linux x86_64");
  std::vector<std::string> all;
  for (const auto& word : request.what) {
    std::error_code error;
    if (const auto list = advisor::list_in_file(word, context))
      add_requirements(*list, word, request.python, all);
    else if (word.find('/') != word.npos && std::filesystem::is_directory(word, error))
      throw bad_input(fmt::format("{}: a server is not asked about a directory; {}", word, from_environment));
    else
      all.push_back(word);
  }
  if (all.empty()) throw bad_input(fmt::format("nothing to check: name requirements or a file; {}", from_environment));
  return all;
}

}  // namespace stackx::cli
