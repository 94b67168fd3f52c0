#include "inspector/environment/image_archives.hpp"

#include <fmt/format.h>

#include "inspector/environment/engine_failure.hpp"
#include "inspector/process/passed_environment.hpp"
#include "specs/format/draft.hpp"

namespace stackx::inspector {

namespace fs = std::filesystem;

namespace {
constexpr const char* stage_again = "call `stackx cluster stage` where there is a network";
}

// docker says "sha256:" before an id, podman does not.
fs::path ImageArchives::file(const std::string& id) const {
  return settings_.root / (id.substr(id.find(':') + 1) + ".tar");
}

std::expected<void, BuildFailure> ImageArchives::save(const std::string& id, const Say& say) const {
  if (has(id)) return {};
  fs::create_directories(settings_.root);
  if (say) say(fmt::format("saving image {} for nodes", file(id).stem().string().substr(0, 12)));
  // A directory: docker renames a file of its own to the one that it is told.
  const specs::Draft draft(file(id), specs::Draft::Kind::directory);
  const auto part = draft.path() / "image.tar";
  const auto finished = call("save", {"--output", part.string(), id});
  if (!finished.ok())
    return engine_failure(fmt::format("image {} could not be saved as {}", id, file(id).string()), finished);
  specs::put_in_place(part, file(id), specs::Existing::replaced);
  return {};
}

std::expected<void, BuildFailure> ImageArchives::load(const std::string& id, const Say& say) const {
  const auto archive = file(id).string();
  if (!has(id))
    return std::unexpected(BuildFailure{
        fmt::format("{} has no image {}, and there is no {} to load it from; {}", engine_.kind, id, archive, stage_again), ""});
  if (say) say("loading image " + archive);
  const auto finished = call("load", {"--quiet", "--input", archive});
  if (finished.ok()) return {};
  auto reason = fmt::format("{} could not load {}; if the file is damaged, remove it and {}", engine_.kind, archive, stage_again);
  return engine_failure(std::move(reason), finished);
}

Finished ImageArchives::call(const std::string& subcommand, std::initializer_list<std::string> more) const {
  Command command;
  command.argv = engine_.command(subcommand);
  append(command.argv, more);
  command.environment = engine_environment();
  command.deadline = settings_.deadline;
  command.stop = settings_.stop;
  return run(command);
}

}  // namespace stackx::inspector
