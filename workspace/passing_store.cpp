#include "workspace/passing_store.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "specs/error.hpp"
#include "store/store.hpp"
#include "workspace/files/writable.hpp"
#include "workspace/output.hpp"

namespace stackx::workspace {

PassingStore::PassingStore(Context& context) : context_(context) {
  if (!context.db.empty()) return;
  const auto usual = store::default_path("");
  std::error_code error;
  if (std::filesystem::exists(usual, error)) return;
  const auto why = why_not_writable(usual);
  if (why.empty()) return;
  auto pattern = (std::filesystem::temp_directory_path(error) / "stackx-store-XXXXXX").string();
  if (error || mkdtemp(pattern.data()) == nullptr)
    throw broken_environment(fmt::format("{}: {}, nor can a directory for temporary files ($TMPDIR); choose another place with --db", usual.string(), why));
  directory_ = pattern;
  context_.db = (directory_ / "stackx.db").string();
  remark("stackx: {}: no store is here and none can be made ({}); what comes with stackx is answered from, and nothing is kept\n", usual.string(), why);
}

PassingStore::~PassingStore() {
  if (directory_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
  context_.db.clear();
}

}  // namespace stackx::workspace
