// Where the user wants an answer: -o FILE.
//
// A file comes to its place whole, at the end (draft.hpp); without finish() nothing is left. What is no file, /dev/null
// or a pipe, is written as bytes come and never replaced, and so is stdout ("" or "-").
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "specs/format/draft.hpp"

namespace stackx::specs {

class OutputFile {
 public:
  // All throw Error(environment), which names the file.
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
