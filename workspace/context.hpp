// What every command begins with: which store, and where the parts of stackx stand. Not global: main owns one and passes
// it on. Knows nothing of a command line.
#pragma once

#include <filesystem>
#include <string>

namespace stackx::workspace {

struct Context {
  std::string db;                              // the store asked for; "": the usual one
  std::filesystem::path executable_directory;  // stackx-pi and stackx-supervise stand here
  // Whether a word may name a file of this machine. Not where others ask: not even whether it is there is for them to know.
  bool words_name_files = true;
  bool names_file(const std::filesystem::path& word) const;  // and such a file is there

  // The catalogs that come with stackx: $STACKX_DATA, specs/data or share/stackx/data. Looked for when first needed,
  // because help needs none. Throws Error(environment) naming where it looked.
  std::filesystem::path data_directory() const;
  // Plotly's plotly.min.js, which reports draw with: where CMake puts it, beside the binary in a build directory, or where
  // it installs. Empty: stackx was built without.
  std::filesystem::path chart_library() const;
};

}  // namespace stackx::workspace
