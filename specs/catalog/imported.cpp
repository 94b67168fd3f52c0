#include "specs/catalog/imported.hpp"

#include <algorithm>

#include "specs/format/json.hpp"

namespace stackx::specs {

Json to_json(const Imported& imported) {
  Json json = {{"names", imported.names}, {"pythons", imported.pythons}, {"platform", imported.platform}, {"files", imported.files}};
  if (!imported.before.empty()) json["before"] = imported.before;
  if (imported.newest > 0) json["newest"] = imported.newest;
  if (imported.prereleases) json["pre"] = true;
  if (imported.sources) json["sources"] = true;
  return json;
}

Imported imported_from(const Node& node) {
  node.only({"names", "pythons", "platform", "files", "before", "newest", "pre", "sources"});
  Imported imported;
  const auto texts = [&](const char* key) {
    const auto list = node.at(key);
    std::vector<std::string> result;
    for (const auto& item : list.items()) result.push_back(item.nonempty());
    if (result.empty()) list.fail("expected at least one");
    return result;
  };
  imported.names = texts("names");
  imported.pythons = texts("pythons");
  imported.platform = node.at("platform").nonempty();
  imported.files = node.at("files").text();
  if (imported.files != "wheels" && imported.files != "sdists" && imported.files != "any")
    node.at("files").fail("expected \"wheels\", \"sdists\" or \"any\"");
  if (const auto before = node.find("before")) imported.before = before->nonempty();
  if (const auto newest = node.find("newest")) imported.newest = newest->unsigned_integer();
  if (const auto pre = node.find("pre")) imported.prereleases = pre->boolean();
  if (const auto sources = node.find("sources")) imported.sources = sources->boolean();
  return imported;
}

std::optional<Imported> how_imported(const std::filesystem::path& catalog) {
  const auto found = Node::parse_file(catalog).find("import");
  return found ? std::optional(imported_from(*found)) : std::nullopt;
}

}  // namespace stackx::specs
