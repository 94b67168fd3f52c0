#include "watch/refresh/refresh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "advisor/facts/refresh.hpp"
#include "campaigns/python_project.hpp"
#include "campaigns/thoth/python.hpp"
#include "inspector/paths.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/catalog/imported.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "specs/python/project.hpp"
#include "watch/refresh/releases.hpp"
#include "workspace/index/index_catalog.hpp"
#include "workspace/index/pip_index.hpp"
#include "workspace/words.hpp"

namespace stackx::watch {
namespace {

namespace fs = std::filesystem;

class Refreshing {
 public:
  Refreshing(const RefreshAsked& asked, const workspace::Context& context) : asked_(asked), context_(context) {
    result_.catalogs = asked.catalogs;
  }

  Refreshed refresh() {
    if (specs::is_python_project(asked_.project) && asked_.catalogs.empty())
      refresh_python_project();
    else
      refresh_catalogs();
    if (asked_.facts && !asked_.offline && !result_.failed) guarded("the facts about packages", [&] { refresh_facts(); });
    if (index_) index_->finish();
    return std::move(result_);
  }

 private:
  // Asked anew in every pass: a timer may start them minutes apart.
  pypi::Index& index() {
    if (!index_) index_ = std::make_unique<workspace::PipIndex>(asked_.pip, asked_.offline, std::chrono::minutes(0));
    return **index_;
  }

  // The first failure of the index is that of all: its places do not answer.
  void guarded(const std::string& what, const std::function<void()>& work) {
    if (result_.failed) return;
    try {
      work();
    } catch (const Error& error) {
      result_.failed = true;
      result_.notes.push_back(fmt::format("{} not refreshed: {}; the pass went on with what was known", what, error.what()));
    }
  }

  fs::path cached(const std::string& ending) const {
    const auto place = inspector::cache_directory() / "watch";
    std::error_code refused;
    fs::create_directories(place, refused);
    return place / (asked_.id + ending);
  }

  void refresh_python_project() {
    const auto project = specs::read_python_project(asked_.project, {});
    campaigns::asked_of_index(project, asked_.python);  // where it asks for nothing, that is the user's to mend
    const auto file = cached("-index.json");
    const auto name = asked_.project.filename().string();
    try {
      campaigns::write_python_catalog(project, asked_.python, index(), file);
      asked_.offline ? result_.notes.push_back(name + ": nothing was asked of the index (--no-refresh, --offline)") : result_.read.push_back(name);
      packages_.clear();
      for (const auto& one : project.dependencies) packages_.insert(one.dependency.name);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::bad_input || !fs::exists(file)) throw;
      result_.failed = true;
      result_.notes.push_back(fmt::format("{} not refreshed: {}; the pass went on with what was known", name, error.what()));
    }
    result_.catalogs.push_back(file.string());
  }

  void refresh_catalogs() {
    std::vector<fs::path> files;
    if (!specs::is_python_project(asked_.project)) {
      const auto document = specs::Node::parse_file(asked_.project);
      for (const auto& item : document.at("catalogs").items()) add_file(item.nonempty(), asked_.project.parent_path(), files);
    }
    for (const auto& name : asked_.catalogs) add_file(name, "", files);
    std::size_t made = 0;
    for (const auto& file : files) {
      const auto name = file.filename().string();
      if (specs::is_overlay(file)) continue;
      const bool is_shipped = file.parent_path() == context_.data_directory();
      const auto imported = is_shipped ? std::nullopt : specs::how_imported(file);
      if (imported && !imported->before.empty())
        result_.notes.push_back(fmt::format("{} holds what was uploaded before {}: there is nothing new to it", name, imported->before));
      else if (asked_.offline)
        use_cached(imported.has_value(), made);
      else if (imported)
        guarded(name, [&] { import_again(file, *imported); });
      else
        guarded(name, [&] { look_for_releases(file, made); });
      if (!imported && result_.failed) use_cached(false, made);
      ++made;
    }
    if (asked_.offline) result_.notes.push_back("nothing was asked of the index (--no-refresh, --offline)");
  }

  void add_file(const std::string& name, const fs::path& beside, std::vector<fs::path>& files) const {
    std::error_code error;
    for (const auto& place : {beside / name, context_.data_directory() / name})
      if (fs::is_regular_file(place, error)) {
        files.push_back(place);
        return;
      }
  }

  fs::path overlay_file(std::size_t number) const { return cached(fmt::format("-releases-{}.json", number)); }

  // What an earlier pass found stays known.
  void use_cached(bool is_import, std::size_t number) {
    const auto file = overlay_file(number).string();
    if (!is_import && fs::exists(file) && std::ranges::find(result_.catalogs, file) == result_.catalogs.end()) result_.catalogs.push_back(file);
  }

  void import_again(const fs::path& file, const specs::Imported& imported) {
    const auto text = workspace::index_catalog(imported, index()).text;
    for (const auto& name : imported.names)
      if (const auto parsed = specs::parse_dependency(name)) packages_.insert(parsed->name);
    const auto before = specs::read_text_file(file, "the catalog");
    if (text != before && !specs::replace_text_file(file, text))
      result_.notes.push_back(fmt::format("{} cannot be written: what is new on the index is not seen; make it writable", file.string()));
    else
      result_.read.push_back(file.filename().string());
  }

  void look_for_releases(const fs::path& file, std::size_t number) {
    const auto found = new_releases(specs::Node::parse_file(file), index(), campaigns::Pythons::usual_platform(), workspace::today());
    for (const auto& one : found.skipped) result_.notes.push_back("left out: " + one);
    const auto place = overlay_file(number);
    std::error_code refused;
    if (found.overlay.is_null())
      fs::remove(place, refused);
    else if (!specs::replace_text_file(place, found.overlay.dump(1) + "\n"))
      throw broken_environment(place.string() + ": cannot be written; is the disk full?");
    else
      result_.catalogs.push_back(place.string());
    result_.read.push_back(file.filename().string());
  }

  // Never into the directory that comes with stackx, as `catalog refresh` may: a timer should not change a program.
  void refresh_facts() {
    std::vector<std::string> names;
    for (const auto& one : advisor::packages_to_refresh(context_.data_directory()))
      if (packages_.contains(one)) names.push_back(one);
    if (names.empty()) return;
    std::vector<advisor::PackageSource> sources{{"the package index", "PyPI", inspector::data_directory() / "generated", names, &index()}};
    const auto report = advisor::refresh_packages(sources, workspace::today(), [](const std::string&) {});
    for (const auto& one : report.not_reached)
      if (!one.reason.empty()) result_.notes.push_back(fmt::format("facts of {} not refreshed: {}", one.what, one.reason));
  }

  const RefreshAsked& asked_;
  const workspace::Context& context_;
  std::unique_ptr<workspace::PipIndex> index_;
  std::set<std::string> packages_;  // that the project names, for the facts
  Refreshed result_;
};

}  // namespace

Refreshed refresh(const RefreshAsked& asked, const workspace::Context& context) { return Refreshing(asked, context).refresh(); }

}  // namespace stackx::watch
