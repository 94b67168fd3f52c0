// The package indices that pip uses, its extra ones too, with stackx's cache and a progress line.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pypi/index.hpp"
#include "pypi/pip_settings.hpp"
#include "workspace/progress.hpp"

namespace stackx::workspace {

class PipIndex {
 public:
  // `pip`: a Python that has the pip to ask; `index_url`: instead of pip's; "" for none. `offline`: the cache alone.
  PipIndex(const std::string& pip, const std::string& index_url, bool offline);
  ~PipIndex() { line_.finish(); }
  PipIndex(const PipIndex&) = delete;
  PipIndex& operator=(const PipIndex&) = delete;
  pypi::Index& operator*() { return *indices_.front(); }
  std::vector<pypi::Index*> all() const;  // pip's index first
  void finish() { line_.finish(); }  // of asking, for now: the progress line is left standing

 private:
  pypi::PipSettings settings_;
  std::unique_ptr<pypi::Transport> transport_;
  ProgressLine line_;
  std::vector<std::unique_ptr<pypi::Index>> indices_;
};

}  // namespace stackx::workspace
