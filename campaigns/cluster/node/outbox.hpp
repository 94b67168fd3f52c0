// What a start of a block has measured, on its way to the head.
//
// A document is durable twice: in a directory of the node's own first, so that nothing that is measured waits for a network,
// then where it is delivered: a file on the spool, or a URL that takes documents. What cannot be delivered (a full spool, one
// that is not mounted for a while, a server that is away) is tried again with the next document, but not more often than every
// few seconds, and at the end with patience; a document that is refused keeps no other back. The plan goes first: without it
// the head looks at nothing of a start. What stays then stays on the node, and the next start of any block of the campaign
// there delivers it: finish_others(). Rejected: a database on the node, which is one more copy; writing on the spool alone,
// whose locks would stand between two measurements.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "inspector/cache/file_lock.hpp"
#include "specs/project/plan.hpp"

namespace stackx::campaigns::cluster {

// Where documents go. `block`: of which start they are.
class Delivery {
 public:
  virtual ~Delivery() = default;
  // Why not, in words; nothing where it is durable there. The same document again changes nothing.
  virtual std::optional<std::string> deliver(const specs::BlockOf& block, const std::string& name, const std::string& text) = 0;
};
std::unique_ptr<Delivery> to_spool(const std::filesystem::path& root);
// POST of one document as application/json, to /v1/documents where the URL has no path (`stackx serve`); any 2xx is a yes.
// Login in the URL, or a token in $STACKX_TOKEN.
std::unique_ptr<Delivery> to_url(const std::string& url);

class Outbox {
 public:
  // `scratch`: a directory of the node, where that of this start is made.
  Outbox(const std::filesystem::path& scratch, const specs::BlockOf& block, std::unique_ptr<Delivery> delivery,
         std::function<void(const std::string&)> say);
  ~Outbox();  // an empty one leaves nothing

  // Durable on the node when it returns; throws Error(environment) where the node's own disk refuses.
  void put(const std::string& name, const std::string& text);
  // Tries until all is delivered, `seconds` are over or `stop` says so. True: all is delivered.
  bool flush(double seconds, const std::function<bool()>& stop);
  // What starts that were killed here left, of the same campaign.
  void finish_others();

  std::size_t waiting() const { return waiting_.size(); }
  const std::filesystem::path& directory() const { return directory_; }

 private:
  void deliver_waiting();

  std::filesystem::path scratch_, directory_;
  specs::BlockOf block_;
  std::unique_ptr<Delivery> delivery_;
  std::function<void(const std::string&)> say_;
  std::unique_ptr<inspector::FileLock> lock_;  // says that this start lives
  std::set<std::string> waiting_;              // names
  double next_try_ = 0;
  std::string last_failed_;  // "": all that were tried last are delivered
};

// "stackx-3f2a09c1d2e4-": what the directories of a campaign begin with on a node.
std::string outbox_prefix(const std::string& campaign);

// $STACKX_SCRATCH, else $SLURM_TMPDIR, else $TMPDIR, else /tmp.
std::filesystem::path scratch_directory();

// In such places anybody may lay a directory of any name: whether this is one, this user's, where no other can write.
bool is_own_directory(const std::filesystem::path& directory);

}  // namespace stackx::campaigns::cluster
