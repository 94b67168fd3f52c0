#include "inspector/environment/images.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstring>
#include <fstream>
#include <set>

#include "inspector/cache/file_lock.hpp"
#include "inspector/confinement/container.hpp"
#include "inspector/confinement/supervised_run.hpp"
#include "inspector/environment/engine_failure.hpp"
#include "inspector/environment/packages.hpp"
#include "inspector/machine/tree.hpp"
#include "inspector/process/passed_environment.hpp"
#include "inspector/process/process.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/format/names.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;
using specs::ArtifactType;
using specs::Json;
using specs::Node;
using specs::Outcome;

constexpr const char* image_schema = "stackx/image/1";
constexpr const char* label = "stackx=image";

Json asked(const ImageRequest& request) {
  return {{"type", to_string(request.base.type)}, {"base", request.base.file},
          {"sha256", request.base.sha256},        {"packages", request.packages},
          {"program", request.program.string()}};
}

std::string key_of(const ImageRequest& request) { return specs::sha256(asked(request).dump()); }

std::string tag(const std::string& key) { return "localhost/stackx/image:" + key.substr(0, 16); }

fs::path ca_bundle() {
  for (const char* variable : {"PIP_CERT", "SSL_CERT_FILE"})
    if (const char* file = std::getenv(variable); file != nullptr && fs::is_regular_file(file))
      return fs::absolute(file);
  const fs::path usual = "/etc/ssl/certs/ca-certificates.crt";
  return fs::is_regular_file(usual) ? usual : fs::path();
}

void write_manifest(const fs::path& file, const Image& image, const ImageRequest& request) {
  Json document = asked(request);
  document["$schema"] = image_schema;
  document["id"] = image.id;
  document["digest"] = image.digest;
  document["installed"] = image.packages;
  document["pulled"] = image.pulled;
  if (image.python)
    document["python"] = {{"version", image.python->version}, {"glibc", image.python->glibc}};
  const auto part = fs::path(file).concat(fmt::format(".{}.part", getpid()));
  std::ofstream stream(part);
  stream << document.dump(1) << '\n';
  stream.close();
  if (!stream) throw broken_environment(part.string() + ": cannot be written; is there space left?");
  fs::rename(part, file);
}

std::optional<Image> read_manifest(const fs::path& file, const fs::path& program) {
  std::error_code error;
  if (!fs::exists(file, error)) return std::nullopt;
  try {
    const auto node = Node::parse_file(file);
    node.schema(image_schema);
    Image image{node.at("id").text(), node.at("digest").text(), {}, {}};
    for (const auto& [name, version] : node.at("installed").members())
      image.packages[name] = version.text();
    if (const auto python = node.find("python"))
      image.python = python_answer(
          program, python->at("version").text() + " " + python->at("glibc").text());
    return image;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// [REGISTRY[:PORT]/]NAME[:TAG][@sha256:...]. Not a transport ("dir:/etc"), which podman would read from here.
bool is_reference(const std::string& text) {
  if (text.empty() || !std::isalnum(static_cast<unsigned char>(text[0]))) return false;
  for (const char c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && !std::strchr("._-/:@+", c)) return false;
  for (const char* no : {"..", "//", ":/"})
    if (text.find(no) != text.npos) return false;
  const auto before = text.substr(0, text.find(':'));
  for (const char* transport : {"containers-storage", "dir", "docker", "docker-archive",
                                "docker-daemon", "oci", "oci-archive", "ostree", "sif", "tarball"})
    if (before == transport) return false;
  return true;
}

// "http://mirror/debian" of "deb [options] URI suite components"; "" if the line names no such.
std::string uri_of_line(const std::string& line) {
  auto parts = words(line);
  if (parts.empty() || parts[0] != "deb") return "";
  std::size_t at = 1;
  if (at < parts.size() && parts[at].starts_with("["))
    while (at < parts.size() && !parts[at++].ends_with("]")) {
    }
  return at < parts.size() ? parts[at] : "";
}

std::string mirror_in(const std::string& text) {
  std::vector<std::string> found;
  for (const auto& line : words(text, "\n")) {
    if (const auto uri = uri_of_line(line); !uri.empty()) found.push_back(uri);
    if (!line.starts_with("URIs:")) continue;
    for (const auto& uri : words(line.substr(5))) found.push_back(uri);
  }
  for (auto uri : found) {
    while (uri.ends_with('/')) uri.pop_back();
    if (uri.ends_with("/debian")) return uri;  // not debian-security, not somebody else's archive
  }
  return "";
}

}  // namespace

std::string debian_mirror(const fs::path& etc_apt) {
  const Tree tree(etc_apt);
  std::vector<std::string> files{"/sources.list"};
  for (const auto& name : tree.entries("/sources.list.d"))
    if (name.ends_with(".list") || name.ends_with(".sources"))  // apt reads no others
      files.push_back("/sources.list.d/" + name);
  for (const auto& file : files)
    if (const auto text = tree.text(file))
      if (auto mirror = mirror_in(*text); !mirror.empty()) return mirror;
  return "";
}

Images::Images(Engine engine, Settings settings) : engine_(std::move(engine)), settings_(std::move(settings)) {
  if (settings_.archives.empty()) return;
  const auto deadline = std::chrono::milliseconds(static_cast<std::int64_t>(settings_.build_seconds * 1000));
  archives_.emplace(engine_, ImageArchives::Settings{settings_.archives, deadline, settings_.stop});
}

std::expected<Image, BuildFailure> Images::get(const ImageRequest& wanted, const Say& say) {
  auto request = wanted;
  std::ranges::sort(request.packages);
  const auto [first, last] = std::ranges::unique(request.packages);
  request.packages.erase(first, last);
  for (const auto& package : request.packages)
    if (!specs::is_debian_package_name(package))
      return std::unexpected(BuildFailure{
          fmt::format("{} is not the name of a Debian package; correct the catalog",
                      Json(package).dump(-1, ' ', true, Json::error_handler_t::replace)),
          ""});
  const auto key = key_of(request);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;

  // Before the lock, which all nodes of a cluster share: they load at once.
  if (const auto loaded = load_archived(key, request, say); !loaded) return std::unexpected(loaded.error());
  fs::create_directories(settings_.root);
  const auto lock_file = settings_.root / (key + ".lock");
  const FileLock lock(lock_file, say, settings_.stop);
  if (!lock.held()) return std::unexpected(BuildFailure{"interrupted", ""});
  fs::last_write_time(lock_file, fs::file_time_type::clock::now());
  clear_away_leftovers(key);
  const auto manifest = settings_.root / (key + ".json");
  auto image = read_manifest(manifest, request.program);
  if (!image || !exists(image->id)) {
    const auto id = make(request, key, say);
    if (!id) return std::unexpected(id.error());
    if (const auto volumes = volumes_of(*id); !volumes.empty())
      return std::unexpected(BuildFailure{
          fmt::format("image {} declares volumes ({}), which docker makes on the machine's disk, where nothing limits "
                      "what is written; take an image without, or podman, which leaves them out",
                      request.base.file, volumes),
          "", Outcome::unsupported});
    auto described = describe(*id, request);
    if (!described) return described;
    described->pulled = pulled_.contains(*id);
    write_manifest(manifest, *described, request);
    image = *described;
  }
  if (archives_ && !settings_.offline)
    if (const auto saved = archives_->save(image->id, say); !saved) return std::unexpected(saved.error());
  return known_.emplace(key, *image).first->second;
}

// What was made elsewhere, and the engine here lacks. Where there is a network what is not archived is made anew.
std::expected<void, BuildFailure> Images::load_archived(const std::string& key, const ImageRequest& request,
                                                        const Say& say) {
  const auto image = read_manifest(settings_.root / (key + ".json"), request.program);
  if (!archives_ || !image || exists(image->id)) return {};
  if (!archives_->has(image->id) && !settings_.offline) return {};
  const auto loaded = archives_->load(image->id, say);
  if (exists(image->id)) return {};
  if (!loaded) return loaded;
  return std::unexpected(BuildFailure{fmt::format("{} does not hold image {}; remove it and call `stackx cluster stage`",
                                                  archives_->file(image->id).string(), image->id), ""});
}

// With the lock held: what a builder that was killed left.
void Images::clear_away_leftovers(const std::string& key) const {
  std::vector<fs::path> stale;
  for (const auto& entry : fs::directory_iterator(settings_.root)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with(key + ".") && (name.ends_with(".tar") || name.ends_with(".build") || name.ends_with(".part")))
      stale.push_back(entry.path());
  }
  for (const auto& path : stale) fs::remove_all(path);
}

Images::Made Images::make(const ImageRequest& request, const std::string& key, const Say& say) {
  if (request.packages.empty()) {
    return request.base.type == ArtifactType::oci ? pull(request.base, say)
                                                  : make_debootstrap(request.base, key, say);
  }
  const auto base = get({request.base, {}, {}}, say);
  if (!base) return std::unexpected(base.error());
  return install(base->id, request, key, say);
}

Images::Made Images::make_debootstrap(const specs::Artifact& base, const std::string& key,
                                      const Say& say) {
  const auto& suite = base.file;
  if (suite.empty() || suite[0] == '-' ||
      suite.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != suite.npos)
    return std::unexpected(BuildFailure{
        fmt::format("{} is not the name of a Debian suite; correct the catalog",
                    Json(suite).dump(-1, ' ', true, Json::error_handler_t::replace)), ""});
  if (settings_.offline)
    return std::unexpected(BuildFailure{
        fmt::format("base image {} is not there, and offline nothing is fetched; run once with network",
                    suite), ""});
  if (find_program("mmdebstrap").empty())
    return std::unexpected(BuildFailure{
        fmt::format("base image {}: mmdebstrap not found; apt-get install mmdebstrap", suite), ""});
  const auto archive = settings_.root / fmt::format("{}.{}.tar", key, getpid());
  if (say) say(fmt::format("making base image {} with mmdebstrap (about a minute)", suite));
  Command command;
  // A cache below root's home is shown to another user, whom Debian's own /root does not let pass.
  command.argv = {"mmdebstrap", "--quiet", "--variant=minbase", "--customize-hook=chmod 0755 \"$1/root\"", suite, archive.string()};
  if (const auto mirror = debian_mirror(); !mirror.empty()) command.argv.push_back(mirror);
  command.environment = fetching_environment();
  command.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(settings_.build_seconds * 1000));
  command.stop = settings_.stop;
  auto finished = run(command);
  if (finished.ok()) {
    command.argv = engine_.command("import");
    append(command.argv, {"--change", std::string("LABEL ") + label, archive.string(), tag(key)});
    finished = run(command);
  }
  std::error_code ignored;
  fs::remove(archive, ignored);
  if (!finished.ok()) return engine_failure(fmt::format("base image {} could not be made", suite), finished);
  return id_of(tag(key));
}

Images::Made Images::pull(const specs::Artifact& base, const Say& say) {
  const auto& reference = base.file;
  if (!is_reference(reference))
    return std::unexpected(BuildFailure{
        fmt::format("{} is not a reference to an image; correct the catalog",
                    Json(reference).dump(-1, ' ', true, Json::error_handler_t::replace)), ""});
  auto id = id_of(reference);
  if (id.empty() && settings_.offline)
    return std::unexpected(BuildFailure{
        fmt::format("image {} is not there, and offline nothing is fetched; run once with network",
                    reference), ""});
  if (id.empty()) {
    if (say) say("pulling " + reference);
    Command command;
    command.argv = engine_.command("pull");
    append(command.argv, {"--quiet", reference});
    command.environment = fetching_environment();
    command.deadline =
        std::chrono::milliseconds(static_cast<std::int64_t>(settings_.build_seconds * 1000));
    command.stop = settings_.stop;
    const auto finished = run(command);
    if (!finished.ok()) return engine_failure(fmt::format("image {} could not be pulled", reference), finished);
    id = id_of(reference);
    pulled_.insert(id);
  }
  const auto digest = digest_of(id);
  if (!base.sha256.empty() && digest != "sha256:" + base.sha256)
    return std::unexpected(BuildFailure{
        fmt::format("image {}: the catalog wants sha256:{}, it has {}", reference, base.sha256, digest),
        "", Outcome::hash_mismatch});
  return id;
}

// Exec form and names that were checked: no shell sees them.
Images::Made Images::install(const std::string& base, const ImageRequest& request,
                             const std::string& key, const Say& say) {
  if (settings_.offline)
    return std::unexpected(BuildFailure{
        "system packages are not installed in a cached image, and offline nothing is fetched; run "
        "once with network", ""});
  const auto bundle = ca_bundle();
  Json update{"apt-get", "update"};
  Json apt{"env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "--yes",
           "--no-install-recommends"};
  if (!bundle.empty())
    for (auto* words : {&update, &apt})
      words->insert(words->end(), {"-o", "Acquire::https::CaInfo=/run/secrets/stackx-ca"});
  apt.push_back("--");
  for (const auto& package : request.packages) apt.push_back(package);
  // A secret is there for this command and in no layer. Where the bundle of the image itself would be, the
  // package ca-certificates could not be installed.
  const std::string run_it =
      bundle.empty() ? "RUN " : "RUN --mount=type=secret,id=stackx-ca,mode=0444 ";
  const auto directory = settings_.root / fmt::format("{}.{}.build", key, getpid());
  fs::create_directories(directory);
  // docker's builder looks up names only, podman's ids as well.
  const auto from = engine_.kind != "docker"                    ? base
                    : request.base.type == ArtifactType::oci ? request.base.file
                                                             : tag(key_of({request.base, {}, {}}));
  std::ofstream(directory / "Containerfile")
      << "FROM " << from << "\nUSER 0:0\n" << run_it << update.dump() << '\n' << run_it << apt.dump()
      << "\nRUN [\"rm\", \"-rf\", \"/var/lib/apt/lists\", \"/var/cache/apt\"]\n";
  if (say) say(fmt::format("installing {} into base image {}", fmt::join(request.packages, ", "),
                           request.base.file));
  Command command;
  command.argv = engine_.command("build");
  command.argv.insert(command.argv.end(), engine_.limits.begin(), engine_.limits.end());
  append(command.argv, {"--network", "host", "--label", label, "--tag", tag(key)});
  if (engine_.kind == "podman")
    append(command.argv, {"--pull=never", "--layers=false", "--security-opt", "label=disable"});
  if (!bundle.empty()) append(command.argv, {"--secret", "id=stackx-ca,src=" + bundle.string()});
  append(command.argv, {"--file", (directory / "Containerfile").string(), directory.string()});
  command.environment = fetching_environment();
  command.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(settings_.build_seconds * 1000));
  command.stop = settings_.stop;
  const auto finished = run(command);
  std::error_code ignored;
  fs::remove_all(directory, ignored);
  if (!finished.ok())
    return engine_failure(fmt::format("{} could not be installed into base image {}",
                              fmt::join(request.packages, ", "), request.base.file), finished);
  return id_of(tag(key));
}

std::expected<Image, BuildFailure> Images::describe(const std::string& id,
                                                    const ImageRequest& request) {
  Image image{id, digest_of(id), {}, {}};
  const auto listed = inside(id, {"/usr/bin/dpkg-query", "-W", "-f", "${db:Status-Status} ${Package} ${Version}\\n"});
  if (!listed) return std::unexpected(listed.error());
  for (const auto& line : words(*listed, "\n")) {
    const auto parts = words(line);
    if (parts.size() == 3 && parts[0] == "installed") image.packages[parts[1]] = parts[2];
  }
  if (request.program.empty()) return image;
  const auto answer = inside(id, {request.program.string(), "-E", "-s", "-S", "-c", python_question});
  if (!answer) return std::unexpected(answer.error());
  image.python = python_answer(request.program, *answer);
  if (!image.python)
    return std::unexpected(BuildFailure{
        fmt::format("base image {}: {} is not there, or does not answer as a Python; correct "
                    "\"program\" in the catalog", request.base.file, request.program.string()), ""});
  return image;
}

// docker knows digests by repository, for what was pulled; what was made here is known by its id alone.
std::string Images::digest_of(const std::string& id) {
  if (engine_.kind != "docker")
    return told({"image", "inspect", "--format", "{{.Digest}}", id});
  const auto digests = told({"image", "inspect", "--format", "{{join .RepoDigests \" \"}}", id});
  const auto at = digests.find('@');
  return at == digests.npos ? id : words(digests.substr(at + 1)).at(0);
}

std::string Images::id_of(const std::string& reference) {
  return told({"image", "inspect", "--format", "{{.Id}}", reference});
}

bool Images::exists(const std::string& id) {
  return !id_of(id).empty();
}

// podman is told to ignore them (Container::wrap).
std::string Images::volumes_of(const std::string& id) {
  if (engine_.kind == "podman") return "";
  const auto listed =
      told({"image", "inspect", "--format", "{{range $place, $_ := .Config.Volumes}}{{$place}} {{end}}", id});
  return fmt::format("{}", fmt::join(words(listed), ", "));
}

// What the engine itself prints; "" if it fails.
std::string Images::told(const Words& argv) {
  Command command;
  command.argv = {engine_.program.string()};
  command.argv.insert(command.argv.end(), engine_.options.begin(), engine_.options.end());
  command.argv.insert(command.argv.end(), argv.begin(), argv.end());
  command.environment = engine_environment();
  command.environment["LC_ALL"] = "C";
  const auto finished = run(command);
  return finished.ok() ? trim(finished.out) : "";
}

// What a program prints in the image; "" if it fails or is not there. It is a stranger's, held as a PI is: to limits,
// and ended with us.
Images::Made Images::inside(const std::string& id, const Words& argv) {
  SupervisedRun what;
  what.supervisor = settings_.supervisor;
  what.argv = argv;
  what.confinement.image = id;
  what.confinement.memory_bytes = std::uint64_t{1} << 30;
  what.confinement.processes = 16;
  what.timeout_seconds = settings_.answer_seconds;
  what.stop = settings_.stop;
  const auto result = run(what, Container(engine_, settings_.supervisor));
  if (result.process.end == End::stopped) return std::unexpected(BuildFailure{"interrupted", ""});
  switch (judge(what, result).outcome) {
    case Outcome::ok:
      return trim(result.process.out);
    case Outcome::timed_out:
    case Outcome::out_of_memory:
    case Outcome::output_limit:
    case Outcome::left_processes:
      return std::unexpected(BuildFailure{
          fmt::format("{} of the base image did not answer within its limits ({:g} s, 1 GiB); correct the catalog",
                      argv.at(0), settings_.answer_seconds), tail(result.process.err)});
    default:
      return "";
  }
}

}  // namespace stackx::inspector
