// Result documents as files beside the store: what makes a result durable before anything else
// happens to it.
//
//   <database>-results/<campaign, first 12 digits, or "single">/<inspection id>.json
//   <database>-results/<campaign, first 12 digits>/plan.json
// (named as SQLite names its companions, -wal and -shm: two stores in one directory share nothing).
// A file is written under another name in the same directory, synced, renamed, and the directory synced (draft.hpp):
// under its own name it is whole, always, and after write() returned neither a kill nor a power failure loses it. That
// takes two syncs, 11 ms on a cloud disk, between two inspections. What was whole and had no name yet when its writer
// died gets it in recover(). The files
// stay: a store that is lost or damaged is made again from them, and any of them may be deleted
// once the store holds it. Rejected: a store with synchronous=FULL and no files, which costs the
// same sync and leaves one copy.
//
// It lies beside the file that a link to the store leads to, so that a store has one, however it is named: its
// campaigns' locks lie there. The directory and those in it are never links, and documents are plain files: what is
// renamed, removed and read there stays there, also where the store and what lies beside it come from somebody else. A
// user's own link to another disk is refused, too, since nothing tells the two apart: the directory of the store can be
// a link.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace stackx::store {

class Spool {
 public:
  explicit Spool(const std::filesystem::path& database);

  const std::filesystem::path& directory() const { return directory_; }

  // The directory of a campaign's documents, made if need be. Throws Error(bad_input) where it leads elsewhere.
  std::filesystem::path place_of(const std::string& campaign) const;
  std::filesystem::path write(const specs::Inspection& inspection);
  std::filesystem::path write(const specs::Plan& plan);

  // Ingests every document that the store lacks, campaign plans first. Returns what the user should
  // know, one line each: how many were taken in (if any), and each file that is damaged or refused,
  // which stays where it is.
  std::vector<std::string> recover(Store& store) const;

  // The documents of a campaign that leave the store, by the first 16 digits of their ids; `whole`: all of them, and its plan.
  // Throws Error(environment) where one cannot be removed.
  void take_out(const std::string& campaign, const std::set<std::string>& keys, bool whole) const;
  // The directory of a campaign, where nothing is left in it; after whoever held it.
  void remove_if_empty(const std::string& campaign) const;

 private:
  std::filesystem::path directory_;
};

// A result of a campaign under way: durable beside the store, then in it. Where one of the two refuses, the other has it. Throws
// Error, which says what is kept and how to go on; a store that was removed or replaced meanwhile is one, and its documents of the
// campaign are saved beside its place.
void keep(const specs::Inspection& inspection, Spool& spool, Store& store);

}  // namespace stackx::store
