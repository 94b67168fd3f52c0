#include "inspector/environment/environment.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "inspector/environment/cannot_build.hpp"
#include "inspector/environment/shown_paths.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;
using specs::ArtifactType;
using specs::Outcome;

std::unexpected<CannotBuild> build_failed(std::string reason, std::string log = "") {
  return std::unexpected(CannotBuild{Outcome::build_failed, std::move(reason), std::move(log)});
}

bool is_base(const specs::Artifact& artifact) {
  return artifact.type == ArtifactType::debootstrap || artifact.type == ArtifactType::oci;
}

bool escapes(const fs::path& path) {
  return path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end();
}

// The version that a package must have: stated, or ours where it is written as Debian writes it.
std::string wanted_package_version(const specs::Artifact& artifact, const specs::Version& version) {
  if (!artifact.package_version.empty()) return artifact.package_version;
  const bool debian = version.scheme() == specs::Versioning::debian;
  const bool local = specs::is_local(version.text());
  return debian || (local && version.scheme() == specs::Versioning::pep440) ? version.text() : "";
}

bool same_package_version(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto left = specs::Version::parse(a, specs::Versioning::debian);
  const auto right = specs::Version::parse(b, specs::Versioning::debian);
  return left && right && *left == *right;
}

void merge_settings(StackEnvironment& result, const std::string& component,
                    const specs::VersionEntry& entry) {
  for (const auto& [name, value] : entry.environment) {
    if (name.empty() || name.find('=') != std::string::npos || name == "LD_LIBRARY_PATH") {
      throw bad_input(fmt::format(
          "{} {}: cannot export \"{}\": no variable of that name can be set by a setting",
          component, entry.version.text(), name));
    }
    const auto [known, is_new] = result.variables.emplace(name, value);
    if (!is_new && known->second != value) {
      throw bad_input(
          fmt::format("{} {}: exports {}={}, another setting of the stack exports {}={}", component,
                      entry.version.text(), name, value, name, known->second));
    }
  }
  for (const auto& [name, value] : entry.parameters) {
    const auto [known, is_new] = result.parameters.emplace(name, value);
    if (!is_new && known->second != value) {
      throw bad_input(fmt::format("{} {}: sets parameter {}={}, another setting sets {}={}",
                                  component, entry.version.text(), name, value, name,
                                  known->second));
    }
  }
}

// Of several components with a library, the PI loads the one that provides something (a blas); the
// others are its partners.
void choose_library(StackEnvironment& result, const std::vector<std::string>& providers) {
  std::vector<const Part*> candidates;
  for (const auto& part : result.parts) {
    if (!part.library.empty()) candidates.push_back(&part);
  }
  if (candidates.size() > 1) {
    std::erase_if(candidates, [&](const Part* part) {
      return std::find(providers.begin(), providers.end(), part->component) == providers.end();
    });
  }
  if (candidates.size() > 1) {
    throw bad_input(
        fmt::format("{} and {}: both have a library for the PI to load; a stack has one",
                    candidates[0]->component, candidates[1]->component));
  }
  if (!candidates.empty()) {
    result.component = candidates[0]->component;
    result.library = candidates[0]->library;
  }
  for (const auto& part : result.parts) {
    if (!part.library.empty() && part.library != result.library)
      result.partners.push_back(part.library);
    result.partners.insert(result.partners.end(), part.partners.begin(), part.partners.end());
  }
}

}  // namespace

Environments::Environments(const specs::Catalog& catalog, WheelStore wheels,
                           std::unique_ptr<Packages> packages,
                           std::unique_ptr<StackPythons> pythons,
                           std::unique_ptr<Images> images)
    : catalog_(catalog),
      wheels_(std::move(wheels)),
      packages_(std::move(packages)),
      pythons_(std::move(pythons)),
      images_(std::move(images)) {}

std::expected<const StackEnvironment*, CannotBuild> Environments::get(
    const specs::Stack& stack, const Say& say, const std::function<bool()>& stop) {
  if (const auto known = ready_.find(stack); known != ready_.end()) return &known->second;
  StackEnvironment result;
  const auto selected = look_up(stack);
  auto done = make_image(result, selected, say);
  if (done) done = find_python(result, selected);
  std::vector<std::string> providers;
  for (const auto& [component, entry] : selected) {
    if (!done) break;
    if (!entry->provides.empty()) providers.push_back(component->name);
    done = add(result, *component, *entry, say, stop);
  }
  if (done && result.python) done = install_wheels(result, selected, say);
  if (!done) return std::unexpected(done.error());
  if (!result.python) choose_library(result, providers);
  return &ready_.emplace(stack, std::move(result)).first->second;
}

std::vector<Environments::Selected> Environments::look_up(const specs::Stack& stack) const {
  std::vector<Selected> selected;
  for (const auto& [name, version] : stack.components) {
    const auto* component = catalog_.find(name);
    const auto* entry = component != nullptr ? component->find(version) : nullptr;
    if (entry != nullptr) {
      selected.push_back({component, entry});
    } else if (component == nullptr || component->kind != specs::Kind::hardware) {  // this host
      throw bad_input(
          fmt::format("stack {}: {} {} is not in the catalog", stack.short_id(), name, version));
    }
  }
  return selected;
}

bool has_base_image(const specs::Stack& stack, const specs::Catalog& catalog) {
  return std::ranges::any_of(stack.components, [&](const auto& chosen) {
    const auto* entry = catalog.find(chosen.first, chosen.second);
    return entry != nullptr && std::ranges::any_of(entry->artifacts, is_base);
  });
}

Environments::Done Environments::make_image(StackEnvironment& result,
                                            const std::vector<Selected>& selected, const Say& say) {
  if (!images_) return {};  // a base image is then refused where it stands
  ImageRequest request;
  std::string name;
  for (const auto& [component, entry] : selected)
    for (const auto& artifact : entry->artifacts) {
      if (artifact.type == ArtifactType::system)
        request.packages.push_back(artifact.package);
      else if (is_base(artifact) && !name.empty())
        throw bad_input(fmt::format("{} and {}: both are base images; a stack has one", name,
                                    component->name));
      else if (is_base(artifact))
        request.base = artifact, name = component->name;
      if (!artifact.program.empty() && artifact.type != ArtifactType::path)
        request.program = artifact.program;
    }
  if (name.empty())
    return unsupported("the container runner needs a base image, and this stack has none; require "
                       "one (catalog images.json: \"image\": \"*\")");
  auto image = images_->get(request, say);
  if (!image) return cannot(image.error());
  result.artifacts["image " + request.base.file] =
      image->digest.substr(std::min(image->digest.size(), image->digest.find(':') + 1));
  request.packages.emplace_back("libc6");
  for (const auto& package : request.packages)
    if (const auto found = image->packages.find(package); found != image->packages.end())
      result.installed[package] = found->second;
  result.python = image->python;
  result.image = std::move(*image);
  return {};
}

Environments::Done Environments::add(StackEnvironment& result, const specs::Component& component,
                                     const specs::VersionEntry& entry, const Say& say,
                                     const std::function<bool()>& stop) {
  merge_settings(result, component.name, entry);
  Part part;
  part.component = component.name;
  part.version = entry.version.text();
  part.reports = entry.reports;
  part.kind = component.kind;
  for (const auto& artifact : entry.artifacts) {
    Done done;
    switch (artifact.type) {
      case ArtifactType::wheel:
        if (!result.python) done = add_wheel(result, part, artifact, say, stop);
        break;
      case ArtifactType::sdist:
        if (!result.python)
          done = unsupported(fmt::format(
              "{} {}: source archives are built for a Python, and this stack has none",
              part.component, part.version));
        break;
      case ArtifactType::system:
        done = result.image ? add_image_package(result, part, artifact, entry)
                            : add_system(result, part, artifact, entry);
        break;
      case ArtifactType::path:
        if (artifact.program.empty()) done = add_path(result, part, artifact);
        break;
      case ArtifactType::debootstrap:
      case ArtifactType::oci:
        if (!result.image)
          done = unsupported(
              fmt::format("{} {}: the local runner takes no base images; use --runner container",
                          part.component, part.version));
    }
    if (!done) return done;
  }
  result.parts.push_back(std::move(part));
  return {};
}

Environments::Done Environments::add_wheel(StackEnvironment& result, Part& part,
                                           const specs::Artifact& artifact, const Say& say,
                                           const std::function<bool()>& stop) {
  const WheelRequest request{
      artifact.package.empty() ? part.component : artifact.package,
      artifact.package_version.empty() ? part.version : artifact.package_version, artifact.file,
      artifact.sha256, artifact.size};
  auto known = wheel_cache_.find(artifact.sha256);
  if (known == wheel_cache_.end()) {
    auto wheel = wheels_.get(request, say, stop);
    if (!wheel) return cannot(wheel.error());
    known = wheel_cache_.emplace(artifact.sha256, std::move(*wheel)).first;
  }
  const auto& wheel = known->second;
  if (!artifact.library.empty()) {
    const auto file = wheel.directory / artifact.library;
    std::error_code error;
    if (escapes(artifact.library) || !fs::is_regular_file(file, error)) {
      return build_failed(
          fmt::format("{} {}: {} holds no file \"{}\"; correct \"library\" in the catalog",
                      part.component, part.version, artifact.file, artifact.library));
    }
    // Of a toolkit's several, the first is its library.
    if (part.library.empty())
      part.library = file;
    else
      part.partners.push_back(file);
    result.artifacts[artifact.library] = hash_of(file);
  }
  part.directories.push_back(wheel.directory);
  part.shared_objects.insert(part.shared_objects.end(), wheel.shared_objects.begin(),
                             wheel.shared_objects.end());
  result.library_path.insert(result.library_path.end(), wheel.library_directories.begin(),
                             wheel.library_directories.end());
  result.visible.push_back(wheel.directory);
  result.artifacts[artifact.file] = artifact.sha256;
  return {};
}

Environments::Done Environments::add_system(StackEnvironment& result, Part& part,
                                            const specs::Artifact& artifact,
                                            const specs::VersionEntry& entry) {
  const auto package = artifact.package.empty() ? part.component : artifact.package;
  const auto installed = packages_->version(package);
  if (!installed) {
    return unsupported(fmt::format("{} {}: Debian package {} is not installed; apt-get install {}",
                                   part.component, part.version, package, package));
  }
  const auto wanted = wanted_package_version(artifact, entry.version);
  if (!wanted.empty() && !same_package_version(wanted, *installed)) {
    return unsupported(
        fmt::format("{} {}: Debian package {} is installed in version {}, wanted is {}",
                    part.component, part.version, package, *installed, wanted));
  }
  part.package_version = *installed;
  if (artifact.library.empty()) return {};
  std::error_code error;
  const auto file = fs::canonical(artifact.library, error);
  if (error) {
    return unsupported(fmt::format("{} {}: {} is not there, though package {} is installed",
                                   part.component, part.version, artifact.library, package));
  }
  const auto owner = packages_->owner(file);
  if (const auto text = file.string();  // built by hand, or not dpkg's business: verified when it runs
      !owner && !text.starts_with("/usr/") && !text.starts_with("/lib") && !text.starts_with("/opt/"))
    return unsupported(fmt::format("{} {}: {} leads to {}, where no package puts a library", part.component,
                                   part.version, artifact.library, text));
  if (owner && *owner != package.substr(0, package.find(':'))) {
    return unsupported(fmt::format("{} {}: {} leads to {}, which belongs to package {}, not to {}",
                                   part.component, part.version, artifact.library, file.string(),
                                   *owner, package));
  }
  part.library = file;
  result.visible.push_back(file);
  return add_hash(result, part, file);
}

// apt installed it when the image was made; which version that is, is known since.
Environments::Done Environments::add_image_package(StackEnvironment& result, Part& part,
                                                   const specs::Artifact& artifact,
                                                   const specs::VersionEntry& entry) {
  const auto installed = result.image->packages.find(artifact.package);
  if (installed == result.image->packages.end()) return {};  // a virtual package
  const auto wanted = wanted_package_version(artifact, entry.version);
  if (!wanted.empty() && !same_package_version(wanted, installed->second))
    return unsupported(fmt::format("{} {}: the image holds {} {}, wanted is {}", part.component,
                                   part.version, artifact.package, installed->second, wanted));
  part.package_version = installed->second;
  if (!artifact.library.empty()) part.library = artifact.library;
  return {};
}

Environments::Done Environments::add_path(StackEnvironment& result, Part& part,
                                          const specs::Artifact& artifact) {
  std::error_code error;
  const auto file = fs::canonical(artifact.file, error);
  if (error) {
    return unsupported(fmt::format("{} {}: {} is not on this machine", part.component, part.version,
                                   artifact.file));
  }
  const auto library =
      artifact.library.empty() ? fs::path() : fs::canonical(artifact.library, error);
  if (error) {
    return unsupported(fmt::format("{} {}: {} is not on this machine", part.component, part.version,
                                   artifact.library));
  }
  for (const auto& path : {file, library})
    if (const auto why = path.empty() ? std::nullopt : why_not_shown(path))
      return unsupported(fmt::format("{} {}: {}, and no sandbox shows it; correct the catalog", part.component,
                                     part.version, *why));
  result.visible.push_back(file);
  if (!fs::is_directory(file, error)) {
    if (auto done = add_hash(result, part, file); !done) return done;
    const auto& hash = result.artifacts[file];
    if (!artifact.sha256.empty() && artifact.sha256 != hash) {
      return unsupported(fmt::format("{} {}: {} has sha256 {}, the catalog wants {}",
                                     part.component, part.version, file.string(), hash,
                                     artifact.sha256));
    }
  }
  if (library.empty()) return {};
  if (auto done = add_hash(result, part, library); !done) return done;
  // Of a runtime's several (CUDA's), the first is its library; what others load of it by name, the loader finds.
  if (part.library.empty())
    part.library = library;
  else
    part.partners.push_back(library);
  if (part.kind == specs::Kind::runtime) result.library_path.push_back(library.parent_path());
  result.visible.push_back(library);
  for (const auto& needed : linked_with(library)) result.visible.push_back(needed);
  return {};
}

// What a catalog names may be a pipe or closed to us: that ends this stack, and no other.
Environments::Done Environments::add_hash(StackEnvironment& result, const Part& part, const fs::path& file) {
  const auto refused = [&](const std::string& why) {
    return unsupported(fmt::format("{} {}: {}; correct the catalog", part.component, part.version, why));
  };
  if (const auto why = why_not_read(file)) return refused(file.string() + " " + *why);
  try {
    result.artifacts[file] = hash_of(file);
  } catch (const Error& error) {
    return refused(error.what());
  }
  return {};
}

// Hashing 200 MB takes a good part of a second: done once while the file stays the same.
std::string Environments::hash_of(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return specs::sha256_file(file);  // throws, saying why
  const auto key = fmt::format("{}\n{} {}.{} {}", file.string(), status.st_size,
                               status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ino);
  const auto [known, is_new] = hashes_.try_emplace(key);
  if (is_new) known->second = specs::sha256_file(file);
  return known->second;
}

}  // namespace stackx::inspector
