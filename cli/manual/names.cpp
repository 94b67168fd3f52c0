#include "cli/manual/names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <fstream>
#include <set>
#include <utility>

#include "specs/format/text_file.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/hardware/microarchitecture.hpp"
#include "specs/hardware/processor.hpp"
#include "specs/project/workload_family.hpp"

namespace stackx::cli::manual {
namespace {

bool is_plain(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::islower(c) || std::isdigit(c) || std::string_view("-_.+").contains(static_cast<char>(c));
  });
}

// Each name once, the first that has it.
class NameList {
 public:
  void add(const std::string& name, const std::string& what) {
    if (is_plain(name) && seen_.insert(name).second) names_.push_back({name, what});
  }
  std::vector<Name> names() && { return std::move(names_); }

 private:
  std::set<std::string> seen_;
  std::vector<Name> names_;
};

std::vector<Name> parameter_names(const specs::WorkloadFamily& family, const std::string& before) {
  std::vector<Name> names;
  for (const auto& [name, meaning] : family.params)
    if (!before.contains(":" + name + "=") && !before.contains("," + name + "="))  // given already
      names.push_back({before + name + "=", meaning});
  return names;
}

std::vector<Name> value_names(const specs::WorkloadFamily& family, const std::string& parameter, const std::string& before) {
  std::vector<Name> names;
  if (const auto values = family.values.find(parameter); values != family.values.end())
    for (const auto& word : values->second.names()) names.push_back({before + word, ""});
  return names;
}

// Not all of data_directory/*.json are.
bool is_catalog(const std::filesystem::path& file) {
  std::array<char, 200> head{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(head.data(), head.size());
  return std::string_view(head.data(), static_cast<std::size_t>(stream.gcount())).contains("\"stackx/catalog/");
}

}  // namespace

std::vector<Name> hardware_names(const std::filesystem::path& data_directory) {
  NameList list;
  list.add("host", "this machine");
  const auto accelerators = specs::load_accelerators(data_directory);
  for (const auto& family : accelerators.families()) {
    const auto models = accelerators.named(family);
    const std::string more = models.size() == 1 ? "" : fmt::format(" and {} more", models.size() - 1);
    list.add(family, models.front()->title + more);
  }
  for (const auto& model : accelerators.all()) list.add(model.name, model.title);
  const auto processors = specs::load_processors(data_directory);
  for (const auto& model : processors.all()) list.add(model.name, model.title);
  const auto table = specs::Microarchitectures::load(data_directory / "microarchitectures.json");
  for (const auto& known : table.all()) list.add(known.id, known.name);
  for (const auto& known : table.all())
    for (const auto& alias : known.aliases) list.add(alias, known.name);
  return std::move(list).names();
}

std::vector<Name> workload_names(const std::filesystem::path& data_directory, std::string_view begun) {
  const auto families = specs::WorkloadFamilies::load(data_directory);
  if (const std::size_t colon = begun.find(':'); colon != begun.npos) {
    const auto* family = families.find(begun.substr(0, colon));
    if (!family) return {};
    const std::size_t part = begun.find_last_of(":,") + 1, equals = begun.find('=', part);
    if (equals == begun.npos) return parameter_names(*family, std::string(begun.substr(0, part)));
    return value_names(*family, std::string(begun.substr(part, equals - part)), std::string(begun.substr(0, equals + 1)));
  }
  NameList list;
  for (const auto& family : families.all()) list.add(family.name, family.description);
  for (const auto& family : families.all())
    for (const auto& alias : families.aliases(family.name)) list.add(alias, family.name);
  return std::move(list).names();
}

std::vector<Name> catalog_names(const std::filesystem::path& data_directory) {
  NameList list;
  for (const auto& file : specs::json_files(data_directory))
    if (is_catalog(file)) list.add(file.filename().string(), "");
  return std::move(list).names();
}

}  // namespace stackx::cli::manual
