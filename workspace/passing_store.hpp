// A store for one answer, where the usual one is not there and its place cannot be written, as on nodes whose home is read-only:
// what comes with stackx answers all the same. It stands in the directory of temporary files, and goes with the answer.
#pragma once

#include "workspace/context.hpp"

namespace stackx::workspace {

class PassingStore {
 public:
  // Does nothing where the usual store is there or can be made, or --db names one; else says so on stderr.
  explicit PassingStore(Context& context);
  ~PassingStore();
  PassingStore(const PassingStore&) = delete;

 private:
  Context& context_;
  std::filesystem::path directory_;
};

}  // namespace stackx::workspace
