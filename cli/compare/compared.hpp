// What `stackx compare A B` may be given as A and B, and what of the store that means.
//
//   stack     4f1c09a2, stack:4f1c09a2   an id or how it begins; an arm's label (4f1c09a2d7e1+A)
//                                        for the second name of a sentinel
//             openblas=0.3.27,threads=1  every measured stack with these versions
//   lock      Pipfile.lock, pylock.toml, requirements.txt: every measured stack with all versions
//             of the lock that any measured stack has at all
//   campaign  campaign:9c1b44            an id or how it begins
//   host      host:bench-1               a host's name, or how its fingerprint begins
//   store     other.db
//
// A word before a colon is needed only where a name could be several of these. Versions are equal
// as PEP 440 has it, or as text. Everything that cannot be found is an Error that says what there
// is.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "store/store.hpp"
#include "workspace/context.hpp"

namespace stackx::cli {

struct Compared {
  enum class Kind { stack, lock, campaign, host, store } kind = Kind::stack;
  std::string text;                             // as it was given
  std::string id;                               // whole: of the stack or campaign; fingerprint
  std::string hostname;                         // machines of one make share a fingerprint
  std::string arm;                              // label of a sentinel
  std::map<std::string, std::string> versions;  // of a lock, or as they were named
  std::vector<std::string> unknown;             // the lock's packages that no measured stack has
  std::filesystem::path file;
};

const char* to_string(Compared::Kind kind);

// The names of the store that A and B can be.
struct Known {
  std::set<std::string> stacks, campaigns;                // ids
  std::set<std::string> sentinels;                        // labels of sentinels' arms
  std::map<std::string, std::set<std::string>> hosts;     // fingerprint -> names
  std::map<std::string, std::set<std::string>> versions;  // component -> versions measured
  std::string to_measure = {};  // what follows where one is not: "; `stackx blame A B ...` measures both"
};
Known known_of(const std::vector<store::Measurement>& measurements);

// A file that is there is a store or a lock, whatever it is called; nothing for other texts. Throws
// Error(bad_input) for store:FILE and lock:FILE that are neither, and for what is called like a file and is none.
std::optional<Compared> compared_file(const std::string& text, const workspace::Context& context);
Compared parse_compared(const std::string& text, const Known& known, const workspace::Context& context);

// Of the store of `known`; everything of a store's file.
bool holds(const Compared& compared, const store::Measurement& measurement);

}  // namespace stackx::cli
