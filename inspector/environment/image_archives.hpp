// Images as files, for machines that can fetch none: nodes of a cluster (campaigns/cluster/node/stage.hpp).
//
//   <root>/<id>.tar   what the engine's `save` writes of that image
//
// The format is docker's, which podman and docker both write and read and which keeps the configuration as it is: its digest
// is the id, so that what manifests (images.hpp) say of an image holds where it was loaded. An archive comes to its place
// whole, once (specs/format/draft.hpp); machines of several kinds may save there, and any number load at once. Rejected:
// oci-archive, in half the space, which gives an image of docker's format another id; a registry, which somebody has to run.
#pragma once

#include <chrono>
#include <expected>
#include <filesystem>
#include <functional>
#include <string>

#include "inspector/confinement/engine.hpp"
#include "inspector/process/process.hpp"
#include "inspector/python/wheels.hpp"

namespace stackx::inspector {

class ImageArchives {
 public:
  struct Settings {
    std::filesystem::path root;
    std::chrono::milliseconds deadline{900'000};  // of one image
    std::function<bool()> stop = {};
  };
  ImageArchives(Engine engine, Settings settings) : engine_(std::move(engine)), settings_(std::move(settings)) {}

  std::filesystem::path file(const std::string& id) const;
  bool has(const std::string& id) const { return std::filesystem::exists(file(id)); }
  // Nothing to do where it is there. Throws Error(environment) where nothing can be written.
  std::expected<void, BuildFailure> save(const std::string& id, const Say& say) const;
  // Of two loads at once one may fail: what counts is whether the engine has the image then.
  std::expected<void, BuildFailure> load(const std::string& id, const Say& say) const;

 private:
  Finished call(const std::string& subcommand, std::initializer_list<std::string> more) const;

  Engine engine_;
  Settings settings_;
};

}  // namespace stackx::inspector
