#include "store/spool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/draft.hpp"
#include "specs/format/json.hpp"
#include "store/file_system.hpp"

namespace stackx::store {
namespace {

namespace fs = std::filesystem;

// Drafts of before 2026-11-24 hold no lock; their writers needed milliseconds from the temporary name to the final one.
constexpr auto abandoned_after = std::chrono::hours(1);

constexpr const char* why_no_link =
    "a link; stackx follows none here, because a store that somebody sent may bring its results along: put a directory "
    "in its place, or move the store to where it leads";

bool is_link(const fs::path& directory) {
  std::error_code missing;
  return fs::is_symlink(directory, missing);
}

void refuse_link(const fs::path& directory) {
  if (is_link(directory)) throw bad_input(fmt::format("{}: {}", directory.string(), why_no_link));
}

void write_durably(const fs::path& file, std::string_view text) {
  specs::Draft draft(file);
  draft.write(text);
  draft.put_in_place();
}

std::string directory_of(const std::string& campaign) {
  return campaign.empty() ? "single" : campaign.substr(0, 12);
}

std::string campaign_of(const std::string& directory) {
  return directory == "single" ? "" : directory;
}

struct Found {
  std::vector<fs::path> plans, inspections, others;  // others: links, pipes, directories
};

// ".2.stackx-draft"; of an older stackx, which hid none, ".part", ".2.part" and ".77.tmp".
bool is_ending_of_draft(std::string_view ending, bool hidden) {
  const auto digits_end = std::min(ending.find_first_not_of("0123456789", 1), ending.size());
  const bool numbered = digits_end > 1;
  const std::string_view extension = ending.substr(numbered ? digits_end : 0);
  if (hidden) return numbered && extension == specs::draft_extension;
  return extension == ".part" || (numbered && extension == ".tmp");
}

// "<id>.json" or "plan.json" of the names that stackx gives their drafts; empty for all others, which are not ours to
// finish or remove.
fs::path document_of_draft(const fs::path& draft) {
  std::string name = draft.filename().string();
  const bool hidden = name.starts_with('.');
  if (hidden) name.erase(0, 1);
  const auto end = name.find(".json.");
  if (end == name.npos || !is_ending_of_draft(std::string_view(name).substr(end + 5), hidden)) return {};
  const std::string stem = name.substr(0, end);
  return specs::is_sha256(stem) || stem == "plan" ? draft.parent_path() / (stem + ".json") : fs::path();
}

bool is_at_work(const fs::path& draft) {
  if (draft.extension() != ".tmp") return false;  // its lock says so
  std::error_code unknown;
  const auto written = fs::last_write_time(draft, unknown);
  return unknown || fs::file_time_type::clock::now() - written < abandoned_after;
}

bool is_whole(const fs::path& file) {
  try {
    return specs::Node::parse_file(file).json().is_object();
  } catch (const Error&) {
    return false;
  }
}

// What was whole when its writer was killed, or the power failed, gets its name; what was not goes.
void finish_drafts(const fs::path& directory) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(directory)) entries.push_back(entry.path());
  for (const fs::path& path : entries) {
    const fs::path document = document_of_draft(path);
    if (document.empty() || is_at_work(path)) continue;
    auto draft = specs::Draft::left_behind(path, document);
    if (draft && !fs::exists(document) && is_whole(path)) draft->put_in_place();
  }
}

// The documents of one campaign's directory, in a fixed order.
Found find_documents(const fs::path& directory) {
  Found found;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() != ".json") continue;
    const bool plain = fs::is_regular_file(entry.symlink_status()), plan = entry.path().filename() == "plan.json";
    (!plain ? found.others : plan ? found.plans : found.inspections).push_back(entry.path());
  }
  std::ranges::sort(found.inspections);
  std::ranges::sort(found.others);
  return found;
}

}  // namespace

Spool::Spool(const fs::path& database) : directory_(fs::absolute(real_file(database)).string() + "-results") {}

fs::path Spool::place_of(const std::string& campaign) const {
  const fs::path place = directory_ / directory_of(campaign);
  refuse_link(directory_);
  refuse_link(place);
  make_directory(place);
  return place;
}

fs::path Spool::write(const specs::Inspection& inspection) {
  const fs::path file = place_of(inspection.campaign) / (inspection.id + ".json");
  write_durably(file, specs::canonical(specs::to_json(inspection)) + "\n");
  return file;
}

fs::path Spool::write(const specs::Plan& plan) {
  const fs::path file = place_of(plan.id) / "plan.json";
  write_durably(file, specs::canonical(specs::to_json(plan)) + "\n");
  return file;
}

namespace {

constexpr const char* go_on = "repeat this (a campaign with --resume)";

// Reads it from the file that has no name any more.
[[noreturn]] void save_beside(const specs::Inspection& last, Spool& spool, const Store& store) {
  const auto& campaign = last.campaign;
  spool.write(last);
  std::size_t saved = 1;
  store.documents(campaign, [&](const std::string& text) {
    const auto node = specs::Node::parse_text(text, store.file().string());
    if (node.at("$schema").text() == "stackx/plan/1") {
      spool.write(specs::plan_from(node));
    } else {
      const auto inspection = specs::inspection_from(node);
      if (!fs::exists(spool.place_of(campaign) / (inspection.id + ".json"))) spool.write(inspection);
      ++saved;
    }
  });
  throw broken_environment(fmt::format(
      "{}: the store was removed or replaced while this ran, with all that it held. Of campaign {} all {} inspections are kept, in {}: {}, which "
      "takes them in",
      store.file().string(), campaign.substr(0, 12), saved, spool.directory().string(), go_on));
}

bool is_stored(const specs::Inspection& inspection, Store& store) {
  try {
    store.ingest(inspection);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

void keep(const specs::Inspection& inspection, Spool& spool, Store& store) {
  if (!store.is_in_place()) save_beside(inspection, spool, store);
  try {
    spool.write(inspection);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}. What was measured before{} is kept; then {}", error.what(), is_stored(inspection, store) ? ", and this," : "", go_on));
  }
  store.ingest(inspection);
}

std::vector<std::string> Spool::recover(Store& store) const {
  std::vector<std::string> remarks;
  std::size_t recovered = 0;
  const auto take_in = [&](const fs::path& file, auto ingest) {
    try {
      recovered += ingest(specs::Node::parse_file(file)) == Ingest::inserted;
    } catch (const Error& error) {
      const std::string why = error.what();  // reading errors name the file themselves
      remarks.push_back(why.starts_with(file.string())
                            ? fmt::format("not taken into the store: {}", why)
                            : fmt::format("not taken into the store: {}: {}", file.string(), why));
    }
  };
  const auto leave = [&](const fs::path& path, const char* why) {
    remarks.push_back(fmt::format("not taken into the store: {}: {}", path.string(), why));
  };
  if (is_link(directory_)) leave(directory_, why_no_link);
  if (!fs::is_directory(fs::symlink_status(directory_))) return remarks;
  for (const auto& campaign : fs::directory_iterator(directory_)) {
    if (campaign.is_symlink()) leave(campaign.path(), why_no_link);
    if (!fs::is_directory(campaign.symlink_status())) continue;
    finish_drafts(campaign.path());
    const Found found = find_documents(campaign.path());
    for (const fs::path& other : found.others) leave(other, "no file of its own, as result documents are; remove it");
    for (const fs::path& file : found.plans)
      take_in(file, [&](const specs::Node& node) { return store.ingest(specs::plan_from(node)); });
    const std::set<std::string> known = store.keys(campaign_of(campaign.path().filename().string()));
    for (const fs::path& file : found.inspections) {
      const std::string id = file.stem().string();
      if (specs::is_sha256(id) && known.contains(id.substr(0, 16))) continue;  // without reading it
      take_in(file,
              [&](const specs::Node& node) { return store.ingest(specs::inspection_from(node)); });
    }
  }
  if (recovered > 0)
    remarks.insert(remarks.begin(),
                   fmt::format("{} result documents of {} were not in the store yet and are now",
                               recovered, directory_.string()));
  return remarks;
}

void Spool::take_out(const std::string& campaign, const std::set<std::string>& keys, bool whole) const {
  const fs::path place = directory_ / directory_of(campaign);
  if (is_link(directory_) || !fs::is_directory(fs::symlink_status(place))) return;
  finish_drafts(place);
  const Found found = find_documents(place);
  const auto remove = [](const fs::path& file) {
    std::error_code error;
    if (fs::remove(file, error); error)
      throw broken_environment(fmt::format("{}: cannot be removed: {}; the store is as it was", file.string(), error.message()));
  };
  for (const fs::path& file : found.inspections)
    if (whole || keys.contains(file.stem().string().substr(0, 16))) remove(file);
  if (whole) std::ranges::for_each(found.plans, remove);
  specs::sync_directory(place);
}

void Spool::remove_if_empty(const std::string& campaign) const {
  const fs::path place = directory_ / directory_of(campaign);
  std::error_code filled;
  if (!is_link(directory_) && !is_link(place)) fs::remove(place, filled);
}

}  // namespace stackx::store
