#include "inspector/environment/engine_failure.hpp"

#include "specs/format/masked.hpp"

namespace stackx::inspector {

using specs::Outcome;

std::unexpected<BuildFailure> engine_failure(std::string reason, const Finished& finished) {
  const auto log = tail(specs::without_passwords(finished.out + finished.err));
  const bool full = log.find("o space left on device") != log.npos;  // "no" where Go says it
  if (finished.end == End::stopped) return std::unexpected(BuildFailure{"interrupted", ""});
  if (finished.end == End::deadline)
    return std::unexpected(BuildFailure{reason + ": not done within its time limit", log,
                                        Outcome::build_timed_out});
  return std::unexpected(
      BuildFailure{std::move(reason), log, full ? Outcome::disk_full : Outcome::build_failed});
}

}  // namespace stackx::inspector
