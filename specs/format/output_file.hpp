// Where the user wants an answer: -o FILE.
//
// A file comes to its place whole, at the end (draft.hpp); without finish() nothing is left. A link stays one: what it
// leads to is replaced. What is no file, /dev/null or a pipe, is written as bytes come and never replaced, and so are
// stdout ("" or "-") and other descriptors ("/dev/fd/3"). A database is replaced never.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "specs/format/draft.hpp"

namespace stackx::specs {

class OutputFile {
 public:
  // All throw Error(environment), which names the file; Error(bad_input) for a database.
  explicit OutputFile(const std::string& name);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  void finish();

 private:
  std::string name_;
  std::optional<Draft> draft_;
  int device_ = -1;
};

}  // namespace stackx::specs
