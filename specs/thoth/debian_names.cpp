#include "specs/thoth/debian_names.hpp"

#include "specs/format/json.hpp"

namespace stackx::specs {
namespace {

void check_package_name(const Node& name) {
  const auto text = name.nonempty();
  if (text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+-.") != text.npos ||
      text[0] == '-')
    name.fail("expected the name of a Debian package: lower-case letters, digits and +-.");
}

}  // namespace

DebianNames load_debian_names(const std::filesystem::path& file) {
  const Node document = Node::parse_file(file);
  document.schema("stackx/debian-names/1");
  document.only({"$schema", "description", "source", "names", "not_needed"});
  DebianNames result;
  for (const auto& [rpm, debian] : document.at("names").members()) {
    check_package_name(debian);
    result.names[rpm] = debian.text();
  }
  if (const auto list = document.find("not_needed"))
    for (const auto& [rpm, why] : list->members()) result.not_needed[rpm] = why.nonempty();
  return result;
}

}  // namespace stackx::specs
