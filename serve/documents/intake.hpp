// Documents that nodes send, on their way into the store.
//
// One thread writes. What came meanwhile shares its next transaction, so that a disk that takes 10 ms for each serves sixty
// writers as well as one; a stream of many documents has transactions of its own. Each document is verified as
// `stackx import` does, and committed to the disk, with the sums that questions are answered from, before its sender is
// told. What waits is bounded; beyond, offer() says no and the sender comes again. A store that cannot be written (a full
// disk) is said to everyone whose documents were in the transaction, and tried again with the next.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace stackx::serve {

// What became of what one request brought.
struct Brought {
  std::uint64_t inserted = 0, already_there = 0, refused = 0;
  struct Refusal {
    std::uint64_t line = 0;
    std::string why;
  };
  std::vector<Refusal> reasons;  // the first hundred
  std::string failed;  // the store could not be written; "": all above is so. What is counted is stored nevertheless
  bool unreadable = false;  // the bytes are not what they say they are; `failed` says why
};

struct Bundle {
  std::string bytes;   // JSON Lines, packed or not
  std::string expected_id;  // of the only document; "": any
  std::function<void(Brought)> done;
};

struct IntakeState {
  std::size_t waiting = 0;  // bundles
  std::uint64_t waiting_bytes = 0, inserted = 0, already_there = 0, refused = 0, failed = 0, transactions = 0;
};

class Intake {
 public:
  // Makes the store where there is none. Throws as Store::open does.
  Intake(const std::filesystem::path& store, std::uint64_t most_bytes);
  ~Intake();  // finishes first
  Intake(const Intake&) = delete;

  // False: too much waits. `done` is called on the writer's thread.
  bool offer(Bundle bundle);
  void finish();  // writes what was offered; takes no more
  IntakeState state() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stackx::serve
