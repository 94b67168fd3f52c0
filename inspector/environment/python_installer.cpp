#include "inspector/environment/python_installer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>

#include "inspector/environment/tree.hpp"
#include "inspector/run/supervised_run.hpp"
#include "specs/error.hpp"
#include "specs/format/masked.hpp"
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

// pip's "Expected sha256 ..." and "Got ..." of a file that is another one.
std::string got(const std::string& log) {
  const auto at = log.find(" Got ");
  const auto from = at == log.npos ? at : log.find_first_not_of(' ', at + 5);
  return from == log.npos ? "another one" : log.substr(from, log.find_first_of(" \n", from) - from);
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
  if (says("DO NOT MATCH THE HASHES")) {
    failure.outcome = Outcome::hash_mismatch;
    failure.reason = what + ": hash mismatch: what was fetched has sha256 " + got(said);
  }
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

// Only one wheel is made: --no-deps.
std::optional<fs::path> made_wheel(const fs::path& directory) {
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == ".whl") return entry.path();
  return std::nullopt;
}

// uv takes `py2-none-any` for no Python at all.
bool is_python2(const PythonPlace& place) { return place.runtime.version.starts_with("2."); }

std::string requirements_in(const fs::path& directory, const WheelRequest& request) {
  const auto file = directory / "requirements.txt";
  write_requirements(file, request);
  return file.string();
}

void move_into(const fs::path& from, const fs::path& to) {
  for (const auto& entry : fs::directory_iterator(from))
    fs::rename(entry.path(), to / entry.path().filename());
}

class Scratch {
 public:
  explicit Scratch(fs::path path) : path_(std::move(path)) {
    fs::remove_all(path_);
    fs::create_directory(path_);
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

PythonInstaller::Result PythonInstaller::install(const WheelRequest& request,
                                                 const PythonPlace& place, const fs::path& target,
                                                 const Say& say) {
  auto installed = request.file.ends_with(".whl") ? unpack(request, place, target, say)
                                                  : build(request, place, target, say);
  if (!installed) return installed;
  return compile(place, target);
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

PythonInstaller::Result PythonInstaller::unpack(const WheelRequest& request,
                                                const PythonPlace& place, const fs::path& target,
                                                const Say& say) {
  if (!is_python2(place)) return uv_->install(request, target, uv_target(place));
  const auto with = tools(place, say);
  if (!with) return std::unexpected(with.error());
  const Scratch scratch(fs::path(target).concat(".pip"));
  const auto out = scratch.path() / "out";  // a directory that pip makes: it warns of one that is there
  auto done = pip(place, {{"install", "--no-deps", "--only-binary", ":all:", "--no-compile", "--target", out.string(),
                           "--require-hashes", "--requirement", requirements_in(scratch.path(), request)},
                          with->site, scratch.path(), true,
                          fmt::format("{} {}: pip could not install {}", request.package, request.version,
                                      request.file)});
  if (done) move_into(out, target);
  return done;
}

PythonInstaller::Result PythonInstaller::build(const WheelRequest& request, const PythonPlace& place,
                                               const fs::path& target, const Say& say) {
  const auto label = fmt::format("{} {}: pip could not build {}", request.package, request.version,
                                 request.file);
  if (settings_.offline) return std::unexpected(offline(label));
  if (!settings_.fetch) return std::unexpected(BuildFailure{label + ": source archives are not built here", ""});
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
  auto built = pip(place, {{"wheel", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", room.string(),
                            (room / request.file).string()},
                           *site, room, false, label});
  if (!built) return built;
  const auto wheel = made_wheel(room);
  if (!wheel) return std::unexpected(BuildFailure{label + ": it made no wheel", ""});
  if (!is_python2(place)) return uv_->unpack(*wheel, target, uv_target(place));
  const auto out = room / "out";
  auto done = pip(place, {{"install", "--no-deps", "--no-index", "--no-compile", "--target", out.string(),
                           wheel->string()},
                          *site, room, false, label});
  if (done) move_into(out, target);
  return done;
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
  if (!is_python2(place)) {
    auto done = uv_->resolve(why, wanted, directory, uv_target(place));
    if (!done) return std::unexpected(done.error());
    return directory;
  }
  const auto list = directory / "requires.txt", out = directory / "out";
  write_requirements(list, wanted);
  auto done = pip(place, {{"install", "--only-binary", ":all:", "--no-compile", "--target", out.string(),
                           "--requirement", list.string()},
                          with->site, directory, true, why});
  if (!done) return std::unexpected(done.error());
  return out;
}

PythonInstaller::Result PythonInstaller::pip(const PythonPlace& place, const PipRun& wanted) {
  if (settings_.offline && wanted.network) return std::unexpected(offline(wanted.label));
  SupervisedRun what;
  what.supervisor = settings_.supervisor;
  what.confinement = confinement_at(place, settings_);
  what.confinement.network = wanted.network;
  what.confinement.writable = {wanted.writable};
  what.confinement.disk_bytes = settings_.memory_bytes;
  what.confinement.visible.push_back(settings_.bootstrap);
  what.confinement.visible.push_back(wanted.site);
  if (wanted.network) {
    what.variables = uv_->pip_variables();
    if (const auto bundle = what.variables.find("PIP_CERT"); bundle != what.variables.end()) {
      what.confinement.visible.emplace_back(bundle->second);
      const std::string file = bundle->second;
      what.variables["SSL_CERT_FILE"] = what.variables["REQUESTS_CA_BUNDLE"] = file;
    }
  }
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
  if (!wanted.network && wants_network(result.process.out + result.process.err))
    why.reason += "; it asked for the network, which builds do not have";
  return std::unexpected(std::move(why));
}

// Files of another Python's syntax, which packages do ship, stay without bytecode.
PythonInstaller::Result PythonInstaller::compile(const PythonPlace& place, const fs::path& target) {
  SupervisedRun what;
  what.supervisor = settings_.supervisor;
  what.confinement = confinement_at(place, settings_);
  what.confinement.writable = {target};
  what.timeout_seconds = settings_.build_seconds;
  what.stop = settings_.stop;
  what.argv = {place.runtime.program.string(), "-E", "-s", "-S", "-m", "compileall", "-q"};
  if (!place.runtime.version.starts_with("2.")) append(what.argv, {"-j", "0"});
  what.argv.push_back(target.string());
  const auto result = run(what, confiner_);
  const auto verdict = judge(what, result);
  const bool ran = verdict.outcome == Outcome::ok || verdict.outcome == Outcome::failed;
  const bool full = (result.process.out + result.process.err).find("No space left on device") !=
                    std::string::npos;
  if (result.process.end == End::stopped) return std::unexpected(BuildFailure{"interrupted", ""});
  if (ran && result.supervision && !full) return {};
  return std::unexpected(failure("bytecode could not be compiled", what, result));
}

// The newest of each that this Python can run.
std::expected<PythonInstaller::Tools, BuildFailure> PythonInstaller::tools(const PythonPlace& place,
                                                                          const Say& say) {
  if (settings_.offline) return std::unexpected(offline("what builds and installs"));
  const auto catalog = specs::load_catalog(settings_.data / "build-tools.json");
  specs::VersionEntry python;
  python.version = *specs::Version::parse(place.runtime.version, specs::Versioning::pep440);
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
                            place.runtime.tag}, say, settings_.stop);
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
