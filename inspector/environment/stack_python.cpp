#include "inspector/environment/stack_python.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "inspector/environment/shown_paths.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/python/distribution_file.hpp"
#include "specs/python/pep508.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;
using specs::Artifact;
using specs::ArtifactType;

bool is_python(const Artifact& artifact) {
  return artifact.type == ArtifactType::wheel || artifact.type == ArtifactType::sdist;
}

// "numpy-1.26.4-cp311-cp311-manylinux_2_17_x86_64.whl" says for whom it is; what does not is for nobody.
std::optional<int> rank(const Artifact& artifact, const specs::Target& target) {
  const auto project = specs::normalized_name(artifact.file.substr(0, artifact.file.find('-')));
  const auto file = specs::parse_file_name(artifact.file, project);
  return file && file->wheel ? target.rank(*file->wheel) : std::nullopt;
}

std::string here(const std::vector<Interpreter>& interpreters) {
  std::string text;
  for (const auto& interpreter : interpreters)
    if (interpreter.environment.empty())
      text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", interpreter.version,
                          interpreter.program.string());
  return text.empty() ? "none" : text;
}

}  // namespace

const Artifact* choose(const std::vector<Artifact>& artifacts, const specs::Target& target) {
  const Artifact* best = nullptr;
  std::optional<int> best_rank;
  for (const auto& artifact : artifacts) {
    if (artifact.type != ArtifactType::wheel) continue;
    const auto place = rank(artifact, target);
    if (place && (!best_rank || *place < *best_rank)) best = &artifact, best_rank = place;
  }
  if (best != nullptr) return best;
  const auto sdist = std::ranges::find(artifacts, ArtifactType::sdist, &Artifact::type);
  return sdist == artifacts.end() ? nullptr : &*sdist;
}

StackPythons::StackPythons(fs::path cache, std::shared_ptr<PythonInstaller> installer,
                           std::function<bool()> stop, Exposure exposure)
    : cache_(std::move(cache)),
      installer_(std::move(installer)),
      stop_(std::move(stop)),
      exposure_(exposure),
      trees_(cache_ / "environments", exposure) {}

const std::vector<Interpreter>& StackPythons::interpreters(const std::string& release) {
  const auto [known, is_new] = interpreters_.try_emplace(release);
  if (is_new) known->second = find_interpreters(usual_interpreter_places(), start_directly, release);
  return known->second;
}

// To start every Python of a machine takes longer than to link a small stack: all are asked only if none answers that is
// what it is called.
std::expected<PythonRuntime, BuildFailure> StackPythons::local(const std::string& version) {
  for (const auto& release : {version, std::string()})
    if (const auto* found = serving(interpreters(release), version)) return runtime_of(*found);
  return std::unexpected(BuildFailure{
      fmt::format("no Python {} on this machine; found: {}; install it, or use the container runner "
                  "with an image that brings it", version, here(interpreters(""))),
      "", specs::Outcome::unsupported});
}

std::expected<PythonRuntime, BuildFailure> StackPythons::local_program(
    const fs::path& program) {
  const auto unsupported = [](std::string why) {
    return std::unexpected(BuildFailure{std::move(why), "", specs::Outcome::unsupported});
  };
  auto visible = installations_of(program);
  const auto refused = [&]() -> std::optional<std::string> {
    for (const auto& path : visible) {
      std::error_code error;
      const auto real = fs::canonical(path, error);
      if (const auto why = why_not_shown(error ? path : real)) return why;
    }
    return std::nullopt;
  };
  if (const auto why = refused())
    return unsupported(fmt::format("{} is not run: {}, and no sandbox shows it", program.string(), *why));
  for (const auto& library : linked_with(program)) visible.push_back(library);
  const auto found =
      ask_interpreter(program, [&](const Words& argv) { return installer_->ask(argv, visible); });
  if (!found) return unsupported(program.string() + " is not there, or does not answer as a CPython");
  auto runtime = runtime_of(*found);
  if (const auto why = why_not_read(program))
    return unsupported(fmt::format("{} is not run: it {}", program.string(), *why));
  try {
    runtime.origin = specs::sha256(program.string() + " " + specs::sha256_file(program));
  } catch (const Error& error) {
    return unsupported(fmt::format("{} is not run: {}", program.string(), error.what()));
  }
  visible.insert(visible.end(), runtime.needs.begin(), runtime.needs.end());
  if (const auto why = refused())  // what it says that it needs
    return unsupported(fmt::format("{} is not run: {}, and no sandbox shows it", program.string(), *why));
  for (const auto& need : runtime.needs)  // consent was given to a program, not to whatever that names
    if (!belongs_to(program, need))
      return unsupported(fmt::format("{} is not run: it says that it needs {}, where it does not belong; name the "
                                     "Python in there in the catalog, {}/bin/python3", program.string(), need.string(),
                                     need.string()));
  runtime.needs = std::move(visible);
  return runtime;
}

std::expected<std::optional<StackPythons::Installed>, BuildFailure>
StackPythons::install(const specs::Component& component, const specs::VersionEntry& entry,
                            const PythonPlace& place, const Say& say) {
  if (std::ranges::none_of(entry.artifacts, is_python)) return std::nullopt;
  const auto* artifact = choose(entry.artifacts, place.runtime.target());
  if (artifact == nullptr)
    return std::unexpected(BuildFailure{
        fmt::format("{} {}: none of its files is for {}", component.name, entry.version.text(),
                    place.runtime.target().text()),
        "", specs::Outcome::unsupported});
  WheelRequest request{artifact->package.empty() ? component.name : artifact->package,
                       artifact->package_version.empty() ? entry.version.text()
                                                         : artifact->package_version,
                       artifact->file, artifact->sha256, artifact->size, place.owner()};
  if (artifact->type == ArtifactType::sdist)  // compiled code is for the libraries where it was built
    request.variant += "-" + specs::sha256(place.image + " " + place.runtime.glibc).substr(0, 12);
  auto wheel = fetch(request, place, say);
  if (!wheel) return std::unexpected(wheel.error());
  return Installed{std::move(*wheel), artifact};
}

std::expected<std::vector<StackPythons::Added>, BuildFailure> StackPythons::complete(const std::vector<NamedWheel>& packages,
                                                                                     const PythonPlace& place, const Say& say) {
  std::vector<Added> result;
  if (place.runtime.version.starts_with("2.")) return result;  // uv chooses for none
  const auto wanted = completion_of(packages, place.runtime.target().environment());
  if (wanted.requirements.empty()) return result;
  const auto named = std::find_if(packages.rbegin(), packages.rend(), [](const auto& one) { return !comes_as_wheels(one.package); });
  auto chosen = installer_->choose(named->package, wanted, place, cache_ / "choices", say);
  if (!chosen) return std::unexpected(chosen.error());
  for (auto& one : *chosen) {
    auto wheel = fetch(WheelRequest{one.package, one.version, one.artifact.file, one.artifact.sha256, one.artifact.size, place.owner()},
                       place, say);
    if (!wheel) return std::unexpected(wheel.error());
    result.push_back({std::move(one), std::move(*wheel)});
  }
  return result;
}

std::expected<Wheel, BuildFailure> StackPythons::fetch(const WheelRequest& request, const PythonPlace& place, const Say& say) {
  WheelStore store(cache_ / "wheels", [&](const WheelRequest& wanted, const fs::path& target) {
    return installer_->install(wanted, place, target, say);
  }, exposure_);
  return store.get(request, say, stop_);
}

std::expected<fs::path, BuildFailure> StackPythons::tree(const std::vector<Wheel>& wheels,
                                                               const Say& say) {
  return trees_.get(wheels, say, stop_);
}

}  // namespace stackx::inspector
