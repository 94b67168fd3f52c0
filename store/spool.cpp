#include "store/spool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "specs/error.hpp"
#include "specs/format/draft.hpp"
#include "specs/format/json.hpp"

namespace stackx::store {
namespace {

namespace fs = std::filesystem;

// Drafts of before 2026-11-24 hold no lock; their writers needed milliseconds from the temporary name to the final one.
constexpr auto abandoned_after = std::chrono::hours(1);

// A new directory is durable when its parent is.
void make_directory(const fs::path& directory) {
  if (fs::is_directory(directory)) return;
  if (directory.has_parent_path()) make_directory(directory.parent_path());
  std::error_code error;
  fs::create_directory(directory, error);
  if (error)
    throw broken_environment(fmt::format("{}: cannot be made: {}; choose another place with --db",
                                         directory.string(), error.message()));
  specs::sync_directory(directory.parent_path());
}

void write_durably(const fs::path& file, std::string_view text) {
  make_directory(file.parent_path());
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

bool is_id(const std::string& name) {
  return name.size() == 64 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

struct Found {
  std::vector<fs::path> plans, inspections;
};

// "<id>.json" of ".<id>.json.2.stackx-draft" and, of an older stackx, "<id>.json.part", "<id>.json.2.part" and
// "<id>.json.77.tmp"; empty for all others.
fs::path document_of_draft(const fs::path& draft) {
  const std::string name = draft.filename().string(), extension = draft.extension().string();
  const std::size_t begin = extension == specs::draft_extension && name.starts_with('.') ? 1 : 0;
  const auto end = name.find(".json.");
  if (end == name.npos || (begin == 0 && extension != ".part" && extension != ".tmp")) return {};
  return draft.parent_path() / name.substr(begin, end + 5 - begin);
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
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == ".json")
      (entry.path().filename() == "plan.json" ? found.plans : found.inspections).push_back(entry.path());
  std::ranges::sort(found.inspections);
  return found;
}

}  // namespace

Spool::Spool(const fs::path& database) : directory_(fs::absolute(database).string() + "-results") {}

fs::path Spool::write(const specs::Inspection& inspection) {
  const fs::path file = directory_ / directory_of(inspection.campaign) / (inspection.id + ".json");
  write_durably(file, specs::canonical(specs::to_json(inspection)) + "\n");
  return file;
}

fs::path Spool::write(const specs::Plan& plan) {
  const fs::path file = directory_ / directory_of(plan.id) / "plan.json";
  write_durably(file, specs::canonical(specs::to_json(plan)) + "\n");
  return file;
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
  if (!fs::is_directory(directory_)) return remarks;
  for (const auto& campaign : fs::directory_iterator(directory_)) {
    if (!campaign.is_directory()) continue;
    finish_drafts(campaign.path());
    const Found found = find_documents(campaign.path());
    for (const fs::path& file : found.plans)
      take_in(file, [&](const specs::Node& node) { return store.ingest(specs::plan_from(node)); });
    const std::set<std::string> known = store.keys(campaign_of(campaign.path().filename().string()));
    for (const fs::path& file : found.inspections) {
      const std::string id = file.stem().string();
      if (is_id(id) && known.contains(id.substr(0, 16))) continue;  // without reading it
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

}  // namespace stackx::store
