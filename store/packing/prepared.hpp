// A result document made ready for its row: verified, taken apart, not yet written.
//
// Verifying a document costs 300 us: parse it, check every member, write it again in canonical form,
// compare. Documents with one skeleton (skeleton.hpp) differ in numbers and a few words, so that is
// done for the first; the others need the same skeleton, the same constants in what they share, their
// numbers in range and, always, an id that is the SHA-256 of their bytes. That costs 15 us.
#pragma once

#include <array>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "specs/result/inspection.hpp"
#include "store/packing/skeleton.hpp"

namespace stackx::store {

// What inspections with one skeleton have in common.
struct Shape {
  specs::Stack stack;
  specs::Workload workload;
  std::string stack_id, workload_id;
  bool sentinel = false;
  std::string context;  // canonical JSON: members that runs of one stack on one host share
  specs::Outcome outcome = specs::Outcome::ok;
  std::string reason;
  std::string rest;  // skeleton of all other members

  // What becomes of each token of the whole document.
  enum class Role : std::uint8_t {
    fixed, rest, exit_code, share, load, end_of_phase, round, position, samples, sample, word
  };
  struct Slot {
    Role role = Role::fixed;
    std::uint32_t format = 0;
    std::int64_t value = 0;  // of a fixed one
  };
  std::vector<Slot> slots;
  std::uint64_t round = 0, position = 0;  // where they are no tokens: beyond 63 bits
};

struct KnownHost {
  std::string document, hash;  // canonical JSON, its SHA-256
  std::string fingerprint, hostname, microarchitecture, cpu_model;
  std::vector<std::pair<std::string, std::string>> gpus;  // UUID, model
};

struct Prepared {
  std::string id;  // 32 bytes
  std::shared_ptr<const Shape> shape;
  std::shared_ptr<const KnownHost> host;
  std::string campaign, arm, device;
  std::uint64_t round = 0, position = 0;
  std::vector<std::int64_t> samples;
  Skeleton rest;  // tokens and lists; its text is shape->rest
};

// Remembers shapes and hosts; may be used by several threads at once, each with its own scratch.
class Reader {
 public:
  explicit Reader(specs::TextLengths texts = specs::TextLengths::bounded) : texts_(texts) {}

  // `name` is for messages. Throws Error(bad_input) naming it and the place.
  Prepared prepare(std::string_view document, const std::string& name, Skeleton& scratch);
  Prepared prepare(std::string_view document, const std::string& name);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  template <typename Value>
  using Known = std::unordered_map<std::string, std::shared_ptr<const Value>, Hash, std::equal_to<>>;

  bool prepare_known(std::string_view document, Skeleton& whole, Prepared& prepared);
  Prepared prepare_new(std::string_view document, const std::string& name);

  specs::TextLengths texts_;
  mutable std::shared_mutex mutex_;
  Known<Shape> shapes_;
  Known<KnownHost> hosts_;
};

// The first 8 bytes of an id, as the store's rows hold it, and as 16 hex digits.
std::int64_t key_of(std::string_view id_bytes);
std::string key_text(std::int64_t key);

}  // namespace stackx::store
