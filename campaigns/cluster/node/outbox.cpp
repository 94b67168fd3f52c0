#include "campaigns/cluster/node/outbox.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "campaigns/campaign.hpp"
#include "campaigns/cluster/place.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "workspace/remote.hpp"

namespace stackx::campaigns::cluster {
namespace {

constexpr double between_tries = 5;  // seconds

class ToSpool : public Delivery {
 public:
  explicit ToSpool(fs::path root) : root_(std::move(root)) {}

  std::optional<std::string> deliver(const specs::BlockOf& block, const std::string& name, const std::string& text) override {
    try {
      if (!is_there(root_)) return fmt::format("{}: the spool is not there", root_.string());
      const fs::path directory = block_directory(root_, block.target, block.block) / block.attempt;
      fs::create_directory(directory.parent_path());
      fs::create_directory(directory);
      place_file(directory / name, text);
      return std::nullopt;
    } catch (const std::exception& error) {
      return error.what();
    }
  }

 private:
  fs::path root_;
};

class ToUrl : public Delivery {
 public:
  explicit ToUrl(const std::string& url) : server_(url, "--send", longest_silence) {}

  std::optional<std::string> deliver(const specs::BlockOf&, const std::string&, const std::string& text) override { return server_.deliver(text); }

 private:
  static constexpr std::chrono::seconds longest_silence{15};  // the next measurement waits
  workspace::Remote server_;
};

std::string outbox_name(const specs::BlockOf& block) {
  return fmt::format("{}{}-{}-{}", outbox_prefix(block.cluster), block.target, block.block, block.attempt);
}

constexpr const char* plan_name = "plan.json";

// Delivers documents of a directory in this order, and removes there what is delivered; gives the names of that, and why
// another is not. A document that is refused keeps no other back, but the plan does, without which the rest says nothing;
// after two in a row no more are tried: it is the way that is closed.
struct Sent {
  std::vector<std::string> names;
  std::string failed, why;  // the last that failed
};
Sent send(Delivery& delivery, const specs::BlockOf& block, const fs::path& directory, std::vector<std::string> names) {
  Sent sent;
  std::ranges::stable_partition(names, [](const std::string& name) { return name == plan_name; });
  bool failed_before = false;
  for (auto& name : names) {
    const auto why = delivery.deliver(block, name, specs::read_text_file(directory / name, "a document"));
    if (!why) {
      std::error_code ignored;
      fs::remove(directory / name, ignored);
      failed_before = false;
      sent.names.push_back(std::move(name));
      continue;
    }
    sent.why = *why;
    sent.failed = name;
    if (failed_before || name == plan_name) break;
    failed_before = true;
  }
  return sent;
}

specs::BlockOf block_in(const fs::path& directory) {
  const auto node = specs::Node::parse_file(directory / "block");
  specs::BlockOf block{node.at("cluster").text(), node.at("target").text(), node.at("block").unsigned_integer(), node.at("attempt").text()};
  if (outbox_name(block) != directory.filename().string()) node.fail("is that of another directory");
  return block;
}

}  // namespace

std::string outbox_prefix(const std::string& campaign) { return fmt::format("stackx-{}-", campaign.substr(0, 12)); }

std::unique_ptr<Delivery> to_spool(const fs::path& root) { return std::make_unique<ToSpool>(root); }
std::unique_ptr<Delivery> to_url(const std::string& url) { return std::make_unique<ToUrl>(url); }

fs::path scratch_directory() {
  for (const char* name : {"STACKX_SCRATCH", "SLURM_TMPDIR", "TMPDIR"})
    if (const char* value = std::getenv(name); value != nullptr && *value == '/') return value;
  return "/tmp";
}

bool is_own_directory(const fs::path& directory) {
  struct stat status {};
  return lstat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() && (status.st_mode & 022) == 0;
}

Outbox::Outbox(const fs::path& scratch, const specs::BlockOf& block, std::unique_ptr<Delivery> delivery,
               std::function<void(const std::string&)> say)
    : scratch_(scratch),
      directory_(scratch / outbox_name(block)),
      block_(block),
      delivery_(std::move(delivery)),
      say_(std::move(say)) {
  std::error_code failed;
  fs::create_directories(scratch_, failed);
  if (!fs::create_directory(directory_, failed))
    throw broken_environment(fmt::format("{}: cannot be made: {}; name another place of this node in STACKX_SCRATCH",
                                         directory_.string(), failed ? failed.message() : "it is there already"));
  fs::permissions(directory_, fs::perms::owner_all, failed);
  lock_ = std::make_unique<inspector::FileLock>(directory_ / "lock", nullptr);
  place_file(directory_ / "block", specs::canonical({{"cluster", block.cluster}, {"target", block.target},
                                                     {"block", block.block}, {"attempt", block.attempt}}));
}

Outbox::~Outbox() {
  std::error_code ignored;
  if (waiting_.empty()) fs::remove_all(directory_, ignored);
}

void Outbox::put(const std::string& name, const std::string& text) {
  place_file(directory_ / name, text);
  waiting_.insert(name);
  if (steady_seconds() >= next_try_) deliver_waiting();
}

void Outbox::deliver_waiting() {
  const auto behind = waiting_.upper_bound(last_failed_);  // another one first than the last time
  std::vector<std::string> names(behind, waiting_.end());
  names.insert(names.end(), waiting_.begin(), behind);
  const auto sent = send(*delivery_, block_, directory_, std::move(names));
  for (const auto& name : sent.names) waiting_.erase(name);
  if (!sent.failed.empty() && last_failed_.empty()) say_(fmt::format("not delivered yet, kept on this node: {}", sent.why));
  last_failed_ = sent.failed;
  next_try_ = sent.failed.empty() ? 0 : steady_seconds() + between_tries;
}

bool Outbox::flush(double seconds, const std::function<bool()>& stop) {
  const double end = steady_seconds() + seconds;
  for (;;) {
    deliver_waiting();
    if (waiting_.empty()) return true;
    if (steady_seconds() >= end || stop()) return false;
    for (int i = 0; i < 10 && !stop(); ++i) std::this_thread::sleep_for(std::chrono::duration<double>(between_tries / 10));
  }
}

void Outbox::finish_others() {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(scratch_, ignored)) {
    if (entry.path() == directory_ || !entry.path().filename().string().starts_with(outbox_prefix(block_.cluster))) continue;
    std::error_code unreadable;
    if (!is_own_directory(entry.path()) || !fs::is_regular_file(entry.path() / "block", unreadable)) continue;
    try {
      const inspector::FileLock lock(entry.path() / "lock", nullptr, inspector::never_wait);
      if (!lock.held()) continue;  // it lives
      const auto block = block_in(entry.path());
      std::vector<std::string> names;
      for (const auto& file : specs::json_files(entry.path())) names.push_back(file.filename().string());
      const auto sent = send(*delivery_, block, entry.path(), std::move(names));
      if (!sent.names.empty())
        say_(fmt::format("delivered {} documents that a start of block {} left on this node", sent.names.size(), block.block));
      if (sent.failed.empty()) fs::remove_all(entry.path(), ignored);
    } catch (const std::exception& error) {
      say_(fmt::format("{}: left as it is: {}", entry.path().string(), error.what()));
    }
  }
}

}  // namespace stackx::campaigns::cluster
