#include "advisor/recipes/lock_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "advisor/recipes/pipfile_text.hpp"
#include "advisor/recipes/stack_packages.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"

namespace stackx::advisor {
namespace {

namespace fs = std::filesystem;
using specs::Json;

// What both files say of the source and the Python.
Json sources(const std::string& url) {
  return Json::array({{{"name", "pypi"}, {"url", url}, {"verify_ssl", true}}});
}

}  // namespace

LockWriter::LockWriter(fs::path directory, const specs::Project& project,
                       const specs::Catalog& catalog, std::string index_url)
    : directory_(fs::absolute(directory).lexically_normal()),
      project_(project),
      catalog_(catalog),
      index_url_(std::move(index_url)) {
  if (!directory_.has_filename()) directory_ = directory_.parent_path();
  std::error_code error;
  if (fs::exists(directory_, error) &&
      (!fs::is_directory(directory_, error) || !fs::is_empty(directory_, error)))
    throw bad_input(fmt::format(
        "--output {}: there is something already; name a directory that is new or empty",
        directory.string()));
  fs::create_directories(directory_.parent_path(), error);  // the draft says where that cannot be done
  draft_.emplace(directory_, specs::Draft::Kind::directory);
}

void LockWriter::write(const specs::Stack& stack) {
  if (!written_.insert(stack.id()).second) return;
  std::set<std::string> roots;
  for (const auto& requirement : project_.requires_) roots.insert(requirement.component);
  const auto packages = stack_packages(stack, catalog_, roots);
  Json asked = Json::object(), locked = Json::object();
  for (const auto& [name, package] : packages) {
    if (package.root) asked[name] = pipfile_pin(package);
    Json entry = {{"index", "pypi"}, {"version", "==" + package.version}};
    if (!package.files.empty()) entry["hashes"] = package.hashes();
    if (!package.extras.empty()) entry["extras"] = package.extras;
    locked[name] = std::move(entry);
  }
  const Json source = sources(index_url_), requires_ = pipfile_requires(stack);
  // What pipenv compares with the Pipfile: is the lock out of date?
  const Json meaning = {{"_meta", {{"sources", source}, {"requires", requires_}}},
                        {"default", asked},
                        {"develop", Json::object()}};
  const Json lock = {{"_meta",
                      {{"hash", {{"sha256", specs::sha256(meaning.dump(-1, ' ', true))}}},
                       {"pipfile-spec", 6},
                       {"requires", requires_},
                       {"sources", source}}},
                     {"default", locked},
                     {"develop", Json::object()}};
  const auto place = draft_->path() / stack.short_id();
  std::error_code error;
  fs::create_directory(place, error);
  for (const auto& [name, text] : {std::pair{"Pipfile", pipfile_text(source, asked, requires_)},
                                   std::pair{"Pipfile.lock", lock.dump(4) + "\n"}})
    if (!specs::replace_text_file(place / name, text))
      throw broken_environment(
          fmt::format("--output {}: {} cannot be written; is the disk full?", directory_.string(), name));
}

std::size_t LockWriter::finish() {
  draft_->put_in_place();
  return written_.size();
}

}  // namespace stackx::advisor
