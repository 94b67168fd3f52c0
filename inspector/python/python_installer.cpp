#include "inspector/python/python_installer.hpp"

#include <fmt/format.h>

#include <optional>

#include "inspector/cache/exposure.hpp"
#include "inspector/cache/file_lock.hpp"
#include "inspector/cache/untrusted_tree.hpp"
#include "inspector/confinement/supervised_run.hpp"
#include "inspector/python/bytecode.hpp"
#include "inspector/python/tree.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/masked.hpp"
#include "specs/format/text_file.hpp"
#include "specs/python/distribution_file.hpp"
#include "specs/python/pep508.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;
using specs::Outcome;

UvTarget uv_target(const PythonPlace& place) {
  return {place.runtime.minor(), place.runtime.platform()};
}

Confinement confinement_at(const PythonPlace& place, const PythonInstaller::Settings& settings) {
  Confinement confinement;
  confinement.image = place.image;
  confinement.memory_bytes = settings.memory_bytes;
  confinement.processes = settings.processes;
  confinement.visible = place.runtime.needs;
  return confinement;
}

// The end of what a tool said, for people; a few of its words decide the outcome.
BuildFailure failure(const std::string& what, const SupervisedRun& run, const RunResult& result) {
  const auto verdict = judge(run, result);
  const auto said = specs::without_passwords(result.process.out + result.process.err);  // indexes have them
  const auto says = [&](const char* text) { return said.find(text) != std::string::npos; };
  auto reason = specs::without_passwords(verdict.reason);
  if (constexpr std::string_view pi = "the PI"; reason.starts_with(pi)) reason.replace(0, pi.size(), "it");
  BuildFailure failure{what + ": " + reason, tail(said), Outcome::build_failed};
  if (result.process.end == End::stopped) failure.reason = "interrupted";
  if (verdict.outcome == Outcome::timed_out) failure.outcome = Outcome::build_timed_out;
  if (says("No space left on device")) failure.outcome = Outcome::disk_full;
  return failure;
}

BuildFailure offline(const std::string& label) {
  return {label + ": offline, nothing is fetched and nothing is built; run once with network", ""};
}

// What libc, urllib, requests and the like say.
bool wants_network(const std::string& log) {
  for (const char* words : {"Temporary failure in name resolution", "Name or service not known",
                            "Network is unreachable", "Could not resolve host"})
    if (log.find(words) != std::string::npos) return true;
  return false;
}

BuildFailure not_built(const std::string& label, const std::string& why) { return {label + ": " + why, ""}; }

bool is_python2(const PythonPlace& place) { return place.runtime.version.starts_with("2."); }

// uv takes `py2-none-any` and `cp27-...` for no Python at all, and goes by the file's name alone.
std::string name_for_uv(const std::string& file, const PythonPlace& place) {
  const auto dash = file.find('-');
  return is_python2(place) ? file.substr(0, file.find('-', dash + 1)) + "-py2.py3-none-any.whl" : file;
}

bool is_wheel_of(const WheelRequest& request, const std::string& file) {
  if (file.find('/') != std::string::npos) return false;  // parse_file_name takes what is no '-' for a tag
  const auto said = specs::parse_file_name(file, specs::normalized_name(request.package));
  const auto wanted = specs::Version::parse(request.version, specs::Versioning::pep440);
  return said && said->wheel && wanted && said->version == *wanted;
}

// What pip left in the directory that it was told to make: one wheel, of what was asked for. The copy counts, where
// foreign code cannot write.
std::expected<fs::path, BuildFailure> take_wheel(const WheelRequest& request, const fs::path& made,
                                                 const fs::path& to, std::uint64_t most_bytes,
                                                 const std::string& label) {
  if (!fs::exists(fs::symlink_status(made))) return std::unexpected(not_built(label, "it made no wheel"));
  const auto tree = UntrustedTree::read(made, most_bytes);
  if (!tree) return std::unexpected(not_built(label, tree.error()));
  const auto& files = tree->files();
  if (files.size() != 1)
    return std::unexpected(not_built(label, fmt::format("it made {} files, not one wheel", files.size())));
  const auto& file = files.front();
  if (!is_wheel_of(request, file))
    return std::unexpected(not_built(label, fmt::format("it made {}, which is no wheel of {} {}", file, request.package,
                                                        request.version)));
  if (auto copied = tree->copy(file, to / file); !copied) return std::unexpected(not_built(label, copied.error()));
  return to / file;
}

// Removed at the end, whatever foreign code left in it.
class Scratch {
 public:
  explicit Scratch(fs::path path) : path_(std::move(path)) {
    remove_tree(path_);
    fs::create_directory(path_);
  }
  ~Scratch() {
    std::error_code ignored;
    remove_tree(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Starting a Python for each processor takes longer than compiling half a megabyte, and twice the processor time.
bool worth_several(const std::vector<std::string>& sources, const fs::path& in) {
  std::uintmax_t bytes = 0;
  for (const auto& source : sources) bytes += fs::file_size(in / source);
  return bytes > 512 * 1024;
}

}  // namespace

std::string PythonPlace::owner() const {
  if (image.empty() && runtime.origin.empty()) return runtime.tag;
  return runtime.tag + "-" + specs::sha256(image + " " + runtime.program.string() + " " + runtime.origin).substr(0, 24);
}

PythonInstaller::Result PythonInstaller::install(const WheelRequest& request,
                                                 const PythonPlace& place, const fs::path& target,
                                                 const Say& say) {
  auto installed = request.file.ends_with(".whl") ? unpack(request, place, target)
                                                  : build(request, place, target, say);
  if (!installed) return installed;
  return compile(place, target);
}

std::expected<std::vector<ChosenWheel>, BuildFailure> PythonInstaller::choose(const std::string& label, const Completion& wanted,
                                                                              const PythonPlace& place, const fs::path& folder,
                                                                              const Say& say) {
  const auto target = uv_target(place);
  std::string key = target.python + " " + target.platform + "\n";
  for (const auto& one : wanted.requirements) key += one + "\n";
  for (const auto& [package, version] : wanted.present) key += package + "==" + version + "\n";
  for (const auto& one : wanted.constraints) key += one + "\n";
  const ReadableByAll readable;
  fs::create_directories(folder);
  const auto file = folder / ("pylock." + specs::sha256(key).substr(0, 32) + ".toml");
  const FileLock lock(fs::path(file).concat(".lock"), say, settings_.stop);
  if (!lock.held()) return std::unexpected(BuildFailure{"interrupted", ""});
  if (!fs::exists(file)) {
    if (say) say(fmt::format("choosing what {} requires beside the stack", label));
    const auto partial = folder / fmt::format("pylock.partial-{}.toml", getpid());  // the name that uv asks for
    fs::remove(partial);
    if (auto done = uv_->choose(label, wanted, partial, target); !done) return std::unexpected(done.error());
    fs::rename(partial, file);
  }
  return read_choice(file);
}

std::optional<std::string> PythonInstaller::ask(const Words& argv, const std::vector<fs::path>& visible) {
  SupervisedRun what;
  what.supervisor = settings_.supervisor;
  what.confinement.visible = visible;
  what.timeout_seconds = 10;
  what.stop = settings_.stop;
  what.argv = argv;
  auto result = run(what, confiner_);
  if (judge(what, result).outcome != Outcome::ok) return std::nullopt;
  return std::move(result.process.out);
}

PythonInstaller::Result PythonInstaller::unpack(const WheelRequest& request, const PythonPlace& place,
                                                const fs::path& target) {
  if (!is_python2(place)) return uv_->install(request, target, uv_target(place));
  const auto label = fmt::format("{} {}: {} could not be installed", request.package, request.version, request.file);
  if (settings_.offline) return std::unexpected(offline(label));
  if (!settings_.fetch) return std::unexpected(not_built(label, "wheels of Python 2 are not fetched here"));
  if (!is_wheel_of(request, request.file))
    return std::unexpected(not_built(label, "its name is of another package or version; correct the catalog"));
  const Scratch scratch(fs::path(target).concat(".fetched"));
  const auto wheel = scratch.path() / name_for_uv(request.file, place);
  const auto fetched = settings_.fetch(request, wheel);
  if (!fetched) return std::unexpected(fetched.error());
  return uv_->unpack(request, wheel, target, uv_target(place));
}

PythonInstaller::Result PythonInstaller::build(const WheelRequest& request, const PythonPlace& place,
                                               const fs::path& target, const Say& say) {
  const auto label = fmt::format("{} {}: pip could not build {}", request.package, request.version,
                                 request.file);
  if (settings_.offline) return std::unexpected(offline(label));
  if (!settings_.fetch) return std::unexpected(not_built(label, "source archives are not built here"));
  const Scratch scratch(fs::path(target).concat(".build"));
  if (say) say(fmt::format("building {} {} from {}", request.package, request.version, request.file));
  const auto archive = scratch.path() / request.file;
  const auto source = settings_.fetch(request, archive);
  if (!source) return std::unexpected(source.error());
  const auto site = build_site(place, *source, scratch.path() / "requires", label, say);
  if (!site) return std::unexpected(site.error());
  const auto room = scratch.path() / "room";  // all that the archive's own code may write to
  fs::create_directory(room);
  fs::rename(archive, room / request.file);
  const auto made = room / "made";
  auto built = pip(place, {{"wheel", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", made.string(),
                            (room / request.file).string()},
                           *site, room, label});
  if (!built) return built;
  const auto wheel = take_wheel(request, made, scratch.path(), settings_.memory_bytes, label);
  if (!wheel) return std::unexpected(wheel.error());
  const auto named = scratch.path() / name_for_uv(wheel->filename(), place);
  fs::rename(*wheel, named);
  return uv_->unpack(request, named, target, uv_target(place));
}

std::expected<fs::path, BuildFailure> PythonInstaller::build_site(const PythonPlace& place,
                                                                  const FetchedSource& source,
                                                                  const fs::path& directory,
                                                                  const std::string& label, const Say& say) {
  const auto with = tools(place, say);
  if (!with) return std::unexpected(with.error());
  if (with->serve(source.build_requires)) return with->site;
  auto wanted = source.build_requires;
  wanted.push_back("pip==" + with->versions.at("pip").text());
  fs::create_directory(directory);
  const auto why = label + ": what its build requires is not to be had as wheels";
  auto done = uv_->resolve(why, wanted, directory, uv_target(place));
  if (!done) return std::unexpected(done.error());
  return directory;
}

PythonInstaller::Result PythonInstaller::pip(const PythonPlace& place, const PipRun& wanted) {
  SupervisedRun what;
  what.supervisor = settings_.supervisor;
  what.confinement = confinement_at(place, settings_);
  what.confinement.writable = {wanted.writable};
  what.confinement.disk_bytes = settings_.memory_bytes;
  what.confinement.visible.push_back(settings_.bootstrap);
  what.confinement.visible.push_back(wanted.site);
  what.timeout_seconds = settings_.build_seconds;
  what.stop = settings_.stop;
  const auto& arguments = wanted.arguments;
  what.argv = {place.runtime.program.string(), "-s", "-S", settings_.bootstrap.string(),
               wanted.site.string(), (wanted.site / "pip" / "__main__.py").string(), arguments.front(),
               "--no-cache-dir", "--disable-pip-version-check"};
  what.argv.insert(what.argv.end(), arguments.begin() + 1, arguments.end());
  const auto result = run(what, confiner_);
  if (judge(what, result).outcome == Outcome::ok) return {};
  auto why = failure(wanted.label, what, result);
  if (wants_network(result.process.out + result.process.err))
    why.reason += "; it asked for the network, which builds do not have";
  return std::unexpected(std::move(why));
}

// Files of another Python's syntax, which packages do ship, stay without bytecode.
PythonInstaller::Result PythonInstaller::compile(const PythonPlace& place, const fs::path& target) {
  const Scratch scratch(fs::path(target).concat(".compiled"));
  const auto sources = copy_sources(target, scratch.path());
  if (sources.empty()) return {};
  SupervisedRun what;
  what.supervisor = settings_.supervisor;
  what.confinement = confinement_at(place, settings_);
  what.confinement.writable = {scratch.path()};
  what.confinement.disk_bytes = settings_.memory_bytes;
  what.timeout_seconds = settings_.build_seconds;
  what.stop = settings_.stop;
  what.argv = {place.runtime.program.string(), "-E", "-s", "-S", "-m", "compileall", "-q"};
  if (!is_python2(place) && worth_several(sources, target)) append(what.argv, {"-j", "0"});
  what.argv.push_back(scratch.path().string());
  const auto result = run(what, confiner_);
  const auto verdict = judge(what, result);
  const bool ran = verdict.outcome == Outcome::ok || verdict.outcome == Outcome::failed;
  const bool full = (result.process.out + result.process.err).find("No space left on device") !=
                    std::string::npos;
  constexpr const char* label = "bytecode could not be compiled";
  if (result.process.end == End::stopped) return std::unexpected(BuildFailure{"interrupted", ""});
  if (!ran || !result.supervision || full) return std::unexpected(failure(label, what, result));
  const auto taken = take_bytecode(sources, scratch.path(), target, settings_.memory_bytes);
  if (!taken) return std::unexpected(not_built(label, taken.error()));
  return {};
}

// The newest of each that this Python can run.
std::expected<PythonInstaller::Tools, BuildFailure> PythonInstaller::tools(const PythonPlace& place,
                                                                          const Say& say) {
  if (settings_.offline) return std::unexpected(offline("what builds and installs"));
  const auto catalog = specs::load_catalog(settings_.data / "build-tools.json");
  specs::VersionEntry python;
  const auto release = specs::Version::parse(place.runtime.version, specs::Versioning::pep440);
  if (!release)  // the program said so
    return std::unexpected(
        BuildFailure{fmt::format("{}: says that it is Python {}, which is no version", place.runtime.program.string(),
                                 specs::in_quotes(place.runtime.version)),
                     "", specs::Outcome::build_failed});
  python.version = *release;
  WheelStore store(settings_.wheels, [&](const WheelRequest& request, const fs::path& target) -> Result {
    auto installed = uv_->install(request, target, uv_target(place));
    return installed ? compile(place, target) : installed;
  }, settings_.exposure);
  std::vector<Wheel> wheels;
  Tools result;
  for (const auto& [name, component] : catalog.components) {
    const specs::VersionEntry* newest = nullptr;
    for (const auto& entry : component.versions) {
      const bool fits = std::ranges::all_of(entry.requires_, [&](const auto& requirement) {
        return requirement.component != "python" || holds(requirement, python);
      });
      if (fits && (newest == nullptr || newest->version < entry.version)) newest = &entry;
    }
    if (newest == nullptr || newest->artifacts.empty()) continue;
    const auto& artifact = newest->artifacts.front();
    auto wheel = store.get({name, newest->version.text(), artifact.file, artifact.sha256, artifact.size,
                            place.owner()}, say, settings_.stop);
    if (!wheel) return std::unexpected(wheel.error());
    wheels.push_back(std::move(*wheel));
    result.versions.emplace(name, newest->version);
  }
  EnvironmentTrees trees(settings_.wheels.parent_path() / "environments", settings_.exposure);
  auto tree = trees.get(wheels, say, settings_.stop);
  if (!tree) return std::unexpected(tree.error());
  result.site = *tree;
  return result;
}

bool PythonInstaller::Tools::serve(const std::vector<std::string>& requirements) const {
  return std::ranges::all_of(requirements, [this](const std::string& text) {
    const auto wanted = specs::parse_dependency(text);
    const auto known = wanted ? versions.find(wanted->name) : versions.end();
    return known != versions.end() && wanted->extras.empty() && wanted->versions.contains(known->second);
  });
}

}  // namespace stackx::inspector
