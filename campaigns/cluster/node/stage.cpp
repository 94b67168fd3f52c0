#include "campaigns/cluster/node/stage.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <set>

#include "campaigns/cluster/node/outbox.hpp"
#include "campaigns/cluster/place.hpp"
#include "campaigns/run.hpp"
#include "inspector/inspector.hpp"
#include "specs/error.hpp"
#include "workspace/progress.hpp"

namespace stackx::campaigns::cluster {

Staged stage(const fs::path& root, const specs::FrozenTarget& target, const workspace::Loaded& loaded,
             const workspace::Context& context) {
  const Job job{loaded, std::nullopt, {}};
  const CampaignOptions options{job, false, {}, {}};
  auto where = inspector_context(options, target.plan.program, context);
  where.cache = stage_directory(root);
  where.for_other_machines = true;
  where.image_archives = image_directory(root);
  fs::create_directories(where.cache);
  inspector::Inspector inspector(std::move(where), loaded.catalog, target.plan.campaign);
  std::set<specs::Stack> stacks;
  for (const auto& arm : target.plan.arms) stacks.insert(arm.stack);
  Staged staged;
  workspace::ProgressLine line;
  for (const auto& stack : stacks) {
    line.show(fmt::format("[{:>{}}/{}]  fetching for {}: {}", staged.stacks, std::to_string(stacks.size()).size(), stacks.size(),
                          target.target.name, stack.short_id()));
    const auto prepared = inspector.prepare(stack, [&](const std::string& text) { line.say(text); });
    if (interrupted()) break;
    ++staged.stacks;
    if (!prepared.ok) staged.failed.push_back(fmt::format("{}: {}", stack.short_id(), prepared.reason));
  }
  line.finish();
  return staged;
}

bool is_staged(const fs::path& root) {
  std::error_code none;
  return fs::is_directory(stage_directory(root), none);
}

fs::path staged_cache(const fs::path& root, bool node_local) {
  const fs::path staged = stage_directory(root);
  if (!node_local) return staged;
  std::error_code none;
  const fs::path copy = scratch_directory() / fmt::format("stackx-stage-{}-{}", geteuid(), root.filename().string());
  fs::create_directories(copy.parent_path());
  if (fs::create_directory(copy, none)) fs::permissions(copy, fs::perms::owner_all);
  if (!is_own_directory(copy))
    throw broken_environment(fmt::format("{}: cannot be made, or is another user's, whose copies nobody should run; name another place of "
                                         "this node in STACKX_SCRATCH",
                                         copy.string()));
  const inspector::FileLock lock(copy / "lock", nullptr);  // one start a node copies, others wait
  if (fs::exists(copy / "whole")) return copy / "cache";
  fs::remove_all(copy / "cache");
  fs::copy(staged, copy / "cache", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  place_file(copy / "whole", "copied\n");
  return copy / "cache";
}

}  // namespace stackx::campaigns::cluster
