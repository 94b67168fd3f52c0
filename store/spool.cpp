#include "store/spool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>

#include "specs/error.hpp"
#include "specs/format/json.hpp"

namespace stackx::store {
namespace {

namespace fs = std::filesystem;

// A writer needs milliseconds from the temporary name to the final one; what is older was left by a
// killed one.
constexpr auto abandoned_after = std::chrono::hours(1);

[[noreturn]] void fail(const fs::path& path, const char* doing) {
  throw broken_environment(fmt::format(
      "{}: {}: {}; the result is not stored, make room or choose another place with --db",
      path.string(), doing, std::strerror(errno)));
}

class File {
 public:
  File(const fs::path& path, int flags)
      : path_(path), descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) fail(path_, "cannot be opened");
  }
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = ::write(descriptor_, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(path_, "cannot be written");
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  void sync() {
    if (::fsync(descriptor_) != 0) fail(path_, "cannot be synced to disk");
  }

 private:
  fs::path path_;
  int descriptor_;
};

void sync_directory(const fs::path& directory) { File(directory, O_RDONLY | O_DIRECTORY).sync(); }

// A new directory is durable when its parent is.
void make_directory(const fs::path& directory) {
  if (fs::is_directory(directory)) return;
  if (directory.has_parent_path()) make_directory(directory.parent_path());
  std::error_code error;
  fs::create_directory(directory, error);
  if (error)
    throw broken_environment(fmt::format("{}: cannot be made: {}; choose another place with --db",
                                         directory.string(), error.message()));
  sync_directory(directory.parent_path());
}

void write_durably(const fs::path& file, std::string_view text) {
  make_directory(file.parent_path());
  const fs::path draft = file.string() + fmt::format(".{}.tmp", ::getpid());
  try {
    File out(draft, O_WRONLY | O_CREAT | O_TRUNC);
    out.write(text);
    out.sync();
  } catch (...) {
    ::unlink(draft.c_str());
    throw;
  }
  if (::rename(draft.c_str(), file.c_str()) != 0) fail(file, "cannot be renamed into place");
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

// The documents of one campaign's directory, in a fixed order; abandoned drafts are removed.
Found find_documents(const fs::path& directory) {
  Found found;
  for (const auto& entry : fs::directory_iterator(directory)) {
    std::error_code ignored;
    if (entry.path().extension() == ".tmp") {
      const auto age = fs::file_time_type::clock::now() - entry.last_write_time(ignored);
      if (!ignored && age > abandoned_after) fs::remove(entry.path(), ignored);
    } else if (entry.path().extension() == ".json") {
      (entry.path().filename() == "plan.json" ? found.plans : found.inspections)
          .push_back(entry.path());
    }
  }
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
