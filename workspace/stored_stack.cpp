#include "workspace/stored_stack.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/error.hpp"
#include "specs/format/names.hpp"
#include "specs/python/distribution_file.hpp"
#include "specs/python/pep508.hpp"
#include "store/questions/questions.hpp"
#include "store/store.hpp"

namespace stackx::workspace {
namespace {

using Files = std::map<std::string, std::string>;  // -> SHA-256

// What the first document that names files says was installed.
Files installed_files(const store::Questions& questions, const std::string& id, const std::filesystem::path& file) {
  const auto store = store::Store::open(file, store::Mode::read_only);
  store::QuestionFilter filter;
  filter.stack = id;
  filter.whose = store::all_results;
  for (const auto& series : questions.series(filter))
    for (const auto& measurement : questions.inspections(series))
      if (auto files = store.inspection(measurement).artifacts; !files.empty()) return files;
  return {};
}

bool is_file_of(const std::string& file, const std::string& package) {
  const bool is_distribution = file.ends_with(".whl") || file.ends_with(".tar.gz") || file.ends_with(".zip");
  return is_distribution && specs::parse_file_name(file, package).has_value();
}

bool is_package(const std::string& name, const std::string& version, const Files& files) {
  if (name == "image" || specs::normalized_name(name) != name || !specs::is_python_package_name(name)) return false;
  if (!specs::Version::parse(version, specs::Versioning::pep440)) return false;
  return files.empty() || std::ranges::any_of(files, [&](const auto& one) { return is_file_of(one.first, name); });
}

}  // namespace

StoredStack stored_stack(const std::string& id_or_prefix, const std::filesystem::path& store, const specs::Catalog* catalog) {
  const store::Questions questions(store);
  const auto found = questions.stack_named(id_or_prefix);
  if (!found)
    throw bad_input(fmt::format("no stack of {} begins with {}; `stackx query best` names the ids of those that were measured",
                                store.string(), id_or_prefix));
  StoredStack result{found->stack, {}};
  std::optional<Files> files;  // read if a component needs them
  for (const auto& [name, version] : found->stack.components) {
    const auto* known = catalog ? catalog->find(name) : nullptr;
    if (!known && !files) files = installed_files(questions, found->id, store);
    if (known ? known->kind == specs::Kind::package && known->ecosystem == "pypi" : is_package(name, version, *files))
      result.packages.insert(name);
  }
  return result;
}

}  // namespace stackx::workspace
