// A program that plays podman, so that no test of ours needs one: it writes down the words that it gets, runs
// "containers" as plain processes of this machine, and fails where a test says so.
//
//   <directory>/argv          a line for each call, its words in brackets: [run] [--rm] ...
//   <directory>/fails         a line for each shell pattern of calls that fail, as a kernel's refusal would
//   <directory>/images/NAME   an image that it has; the name with / and : as _
//   <directory>/Containerfile the last one that was built
//   <directory>/python        what an image's Python answers
//   <directory>/hangs         for how many seconds it and dpkg-query do nothing instead
#pragma once

#include <string>
#include <vector>

#include "tests/inspector/support.hpp"

namespace stackx::inspector::testing {

class FakeEngine {
 public:
  // `name`: what it is called, "podman". The directory becomes PATH's first while this lives.
  explicit FakeEngine(const std::string& name = "podman");

  std::filesystem::path program() const { return root_ / name_; }
  const TempDirectory& root() const { return root_; }
  void fail(const std::vector<std::string>& patterns) const;  // instead of those before
  std::vector<std::string> calls() const;                     // lines of argv
  int count(const std::string& part) const;                   // calls that hold it
  void forget() const;                                        // the calls
  // Another program on the same PATH: a shell script.
  void add_program(const std::string& name, const std::string& script) const;

 private:
  std::string name_;
  TempDirectory root_;
  Variable path_;
};

}  // namespace stackx::inspector::testing
