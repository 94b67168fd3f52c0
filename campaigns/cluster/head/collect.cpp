#include "campaigns/cluster/head/collect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"

namespace stackx::campaigns::cluster {
namespace {

using Key = std::tuple<std::string, std::uint64_t, std::string>;  // target, block, attempt

std::optional<std::uint64_t> block_number(const fs::path& directory) {
  constexpr std::string_view prefix = "block-";
  const std::string name = directory.filename().string();
  std::uint64_t number = 0;
  if (!name.starts_with(prefix)) return std::nullopt;
  const auto [end, error] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(number) : std::nullopt;
}

std::vector<fs::path> entries_of(const fs::path& directory) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(directory)) entries.push_back(entry.path());
  std::ranges::sort(entries);
  return entries;
}

std::vector<fs::path> directories_of(const fs::path& directory) {
  std::vector<fs::path> directories;
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.is_directory()) directories.push_back(entry.path());
  std::ranges::sort(directories);
  return directories;
}

// One pass over the spool.
class Collecting {
 public:
  Collecting(const specs::ClusterCampaign& campaign, fs::path root, store::Store& store,
             const std::function<void(std::uint64_t)>& progress)
      : campaign_(campaign), root_(std::move(root)), store_(store), progress_(progress) {
    for (auto& row : store.blocks(campaign.id)) known_.emplace(Key{row.target, row.block, row.attempt}, std::move(row));
  }

  Collected run() {
    for (const auto& target : campaign_.targets) look_through(target.target.name);
    result_.starts = directories_.size();
    take_in();
    result_.whole = is_there(root_) && !lost_;
    return std::move(result_);
  }

 private:
  void look_through(const std::string& target) {
    try {
      for (const auto& directory : directories_of(target_directory(root_, target)))
        if (const auto block = block_number(directory))
          for (const auto& attempt : directories_of(directory)) look_into(target, *block, attempt);
    } catch (const fs::filesystem_error& error) {
      lost_ = true;
      result_.remarks.push_back(fmt::format("{}: {}", error.path1().string(), error.code().message()));
    }
  }

  void look_into(const std::string& target, std::uint64_t block, const fs::path& attempt) {
    const auto row = known_.find({target, block, attempt.filename().string()});
    if (row != known_.end() && row->second.done >= row->second.planned) return;
    std::set<std::string> have;
    if (row != known_.end()) have = store_.keys(row->second.campaign);
    std::vector<std::string> names;
    bool has_plan = false;
    for (const auto& file : entries_of(attempt)) {
      std::string name = file.filename().string();
      const std::string stem = file.stem().string();
      if (name == "attempt.json") keep_attempt(file);
      if (name == "plan.json") has_plan = true;
      if (file.extension() == ".json" && specs::is_sha256(stem) && !have.contains(stem.substr(0, 16))) names.push_back(std::move(name));
    }
    if (!has_plan) return;  // it comes first, and is under way
    if (row != known_.end() && names.empty()) return;
    const auto start = static_cast<std::uint32_t>(directories_.size());
    directories_.push_back(attempt);
    if (row == known_.end()) plans_.push_back({start, "plan.json"});
    for (auto& name : names) inspections_.push_back({start, std::move(name)});
  }

  void keep_attempt(const fs::path& file) {
    try {
      auto attempt = attempt_from(specs::Node::parse_file(file));
      attempt.host = nullptr;  // thousands of them
      if (attempt.state != AttemptState::complete && attempt.state != AttemptState::nothing_left)
        result_.attempts.push_back(std::move(attempt));
    } catch (const Error& error) {
      result_.remarks.emplace_back(error.what());
    }
  }

  // The next document that the store lacks: plans first, since each is a transaction, which would part inspections, of which
  // thousands make one. A file that cannot be read now is left for the next time.
  bool next(std::string& text) {
    while (next_ < plans_.size() + inspections_.size()) {
      const auto number = next_++;
      if (!read(path_of(number), text)) continue;
      fed_.push_back(static_cast<std::uint32_t>(number));
      return true;
    }
    return false;
  }

  bool read(const fs::path& file, std::string& text) {
    try {
      text = specs::read_text_file(file, "a document");
    } catch (const Error& error) {
      std::error_code away;
      lost_ = lost_ || error.code() == ErrorCode::environment || !fs::exists(file, away);
      result_.remarks.emplace_back(error.what());
      return false;
    }
    while (text.ends_with('\n')) text.pop_back();
    if (text.empty()) result_.remarks.push_back(fmt::format("{}: is empty", file.string()));
    return !text.empty();
  }

  fs::path path_of(std::size_t number) const {
    const File& file = number < plans_.size() ? plans_[number] : inspections_[number - plans_.size()];
    return directories_[file.start] / file.name;
  }

  void take_in() {
    if (directories_.empty()) return;
    const std::string name = "document";
    const auto intake = store_.take_in([this](std::string& text) { return next(text); }, name, progress_);
    result_.documents = intake.inserted;
    for (const auto& reason : intake.reasons) result_.remarks.push_back(with_file(reason, name));
  }

  // "document:17: why" -> the file's name and why.
  std::string with_file(const std::string& reason, const std::string& name) const {
    std::size_t line = 0;
    const auto [end, error] = std::from_chars(reason.data() + name.size() + 1, reason.data() + reason.size(), line);
    if (error != std::errc() || line == 0 || line > fed_.size()) return reason;
    return path_of(fed_[line - 1]).string() + std::string(end, reason.data() + reason.size());
  }

  struct File {
    std::uint32_t start;  // in directories_
    std::string name;
  };

  const specs::ClusterCampaign& campaign_;
  fs::path root_;
  store::Store& store_;
  const std::function<void(std::uint64_t)>& progress_;
  std::map<Key, store::BlockRow> known_;
  std::vector<fs::path> directories_;      // of starts with what the store lacks
  std::vector<File> plans_, inspections_;  // these
  std::size_t next_ = 0;                   // of plans_, then inspections_
  std::vector<std::uint32_t> fed_;         // which file each line was
  bool lost_ = false;
  Collected result_;
};

}  // namespace

Collected collect(const specs::ClusterCampaign& campaign, const fs::path& root, store::Store& store,
                  const std::function<void(std::uint64_t documents)>& progress) {
  require_there(root);
  return Collecting(campaign, root, store, progress).run();
}

}  // namespace stackx::campaigns::cluster
