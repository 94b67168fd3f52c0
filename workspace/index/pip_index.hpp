// The package index as pip sees it, all places where pip looks, with stackx's cache and a progress line.
#pragma once

#include <chrono>
#include <memory>

#include "pypi/index/index.hpp"
#include "pypi/pip_settings.hpp"
#include "workspace/progress.hpp"

namespace stackx::workspace {

class PipIndex {
 public:
  // `offline`: the cache, and files on this disk, alone. `fresh`: listings younger than that are not asked for again.
  PipIndex(const pypi::PipOptions& options, bool offline, std::chrono::minutes fresh = std::chrono::minutes(10));
  ~PipIndex() { line_.finish(); }
  PipIndex(const PipIndex&) = delete;
  PipIndex& operator=(const PipIndex&) = delete;
  pypi::Index& operator*() { return *index_; }
  pypi::Index* operator->() { return index_.get(); }
  void finish() { line_.finish(); }  // of asking, for now: the progress line is left standing

 private:
  ProgressLine line_;
  std::unique_ptr<pypi::Transport> transport_;
  std::unique_ptr<pypi::Index> index_;
};

}  // namespace stackx::workspace
