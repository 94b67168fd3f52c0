// "Will this run here?": yes, no, or unknown; why; the nearest that runs; what was not judged.
//
// Yes: what an installer would take of the requirements installs, and runs on the GPU and the driver. No: it does not,
// and `because` says why; `nearest` is the same with as few changes as do, each to the newest version that does. Unknown:
// a name or version that nobody lists, or a build whose GPUs nobody states; never called no. Where no Python is named,
// the newest that the requirements can be installed for is meant; an older one counts if it takes the same versions of
// what was asked for. Found by the resolver on python_world.hpp; the sentences are wording.hpp's.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "advisor/check/question.hpp"
#include "advisor/facts/knowledge.hpp"
#include "resolver/resolver.hpp"

namespace stackx::advisor {

enum class Answer { yes, no, unknown };
const char* to_string(Answer answer);

struct Change {
  std::string name, from, to;  // "" as `from`: added; names "driver" and "python" are the machine's, "index" is where packages come from
};

struct Nearest {
  std::string changes_text() const;  // "torch 2.7.1+cu118 instead of 2.15.0, driver 580.65.06"
  std::vector<Change> changes;
  specs::Stack stack;
  std::string text;                  // a sentence
  std::vector<std::string> install;  // requirements to install instead; empty where they stay as they are
  std::vector<std::string> indexes = {};  // addresses of indexes to look at beside the usual one, that no version names
  std::map<std::string, std::vector<std::string>> compiled = {};  // of these, what must be there before each is compiled
};

// What is known of one build that the answer rests on.
struct UsedFact {
  std::string package, version, known, source, read;  // known: "generated", "read", "inferred"
};

struct Checked {
  Answer answer = Answer::unknown;
  std::string text;                    // the first line, without the answer's word
  std::vector<std::string> because;    // sentences, the first is `text`'s reason
  std::vector<resolver::Reason> clash;  // from the roots down, where there is one
  specs::Stack stack;                  // what would be installed; empty where nothing can
  std::vector<std::string> pythons;    // on which that is so
  std::string driver;                  // which drivers it takes: ">=525.60.13"
  bool contradicts_itself = false;     // no index, GPU or Python makes it a yes
  std::vector<Nearest> nearest;        // the first is the nearest
  std::vector<std::string> notes;      // what to know of a yes: built from source, taken from the system
  std::vector<std::string> reported;   // what others say of versions in it (specs/catalog/report.hpp)
  std::vector<std::string> not_judged;  // packages
  std::string as_of;
  std::vector<UsedFact> facts;
  std::vector<std::string> overlays;
};

// ", on Python 3.12": where the nearest is for another than the answer; a change of Python says so itself.
std::string on_another_python(const Checked& checked, const Nearest& nearest);

using Ask = std::function<Checked(const Question&)>;

Checked check(const Knowledge& knowledge, const Question& question);

}  // namespace stackx::advisor
