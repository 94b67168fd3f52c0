// Base images with the system packages of a stack, made once and shared by all stacks that want the same.
//
//   debootstrap SUITE   mmdebstrap makes it (variant minbase, from the mirror that this machine's apt uses) and
//                       the engine imports it
//   oci REFERENCE       the engine pulls it, unless it has it; a sha256 in the catalog must be its digest
//   packages            one layer above, by apt-get inside, with this machine's CA bundle mounted, not baked in
//
// What a suite holds changes with time: an image stays as it was made, and its manifest
// <cache>/images/<key>.json (stackx/image/1) records id, digest and the version of every package. The key
// is the SHA-256 of what was asked for. Rejected: a layer for the Python environment, too, which every
// combination of wheels would need anew; it is a tree of hard links (tree.hpp), mounted.
#pragma once

#include <expected>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "inspector/confinement/engine.hpp"
#include "inspector/environment/image_archives.hpp"
#include "inspector/python/python_runtime.hpp"
#include "inspector/python/wheels.hpp"
#include "specs/catalog/catalog.hpp"

namespace stackx::inspector {

struct ImageRequest {
  specs::Artifact base;               // debootstrap or oci
  std::vector<std::string> packages;  // Debian's names
  std::filesystem::path program;      // the interpreter that it brings; empty: none
};

struct Image {
  std::string id;                               // of the engine
  std::string digest;                           // "sha256:..."
  std::map<std::string, std::string> packages;  // all that are installed there
  std::optional<PythonRuntime> python;          // if the program answers
  bool pulled = false;  // by us: what the engine had before is not ours to remove
};

class Images {
 public:
  struct Settings {
    std::filesystem::path root;  // <cache>/images
    bool offline = false;
    std::function<bool()> stop;
    double build_seconds = 900;
    std::filesystem::path supervisor = {};  // holds what runs in an image
    double answer_seconds = 60;             // that it has
    std::filesystem::path archives = {};    // the engine's images are saved there and loaded from there where it lacks them
  };
  Images(Engine engine, Settings settings);

  std::expected<Image, BuildFailure> get(const ImageRequest& request, const Say& say);

 private:
  using Made = std::expected<std::string, BuildFailure>;  // an image's id, or what was printed in one
  Made make(const ImageRequest& request, const std::string& key, const Say& say);
  Made make_debootstrap(const specs::Artifact& base, const std::string& key, const Say& say);
  Made pull(const specs::Artifact& base, const Say& say);
  Made install(const std::string& base, const ImageRequest& request, const std::string& key,
               const Say& say);
  std::expected<Image, BuildFailure> describe(const std::string& id, const ImageRequest& request);
  std::expected<void, BuildFailure> load_archived(const std::string& key, const ImageRequest& request, const Say& say);
  void clear_away_leftovers(const std::string& key) const;
  bool exists(const std::string& id);
  std::string volumes_of(const std::string& id);  // "/data, /var/lib/x", where the engine cannot leave them out
  std::string id_of(const std::string& reference);  // "" if it is not there
  std::string digest_of(const std::string& id);
  std::string told(const std::vector<std::string>& argv);
  Made inside(const std::string& id, const std::vector<std::string>& argv);

  Engine engine_;
  Settings settings_;
  std::optional<ImageArchives> archives_;
  std::map<std::string, Image> known_;  // by key
  std::set<std::string> pulled_;        // ids
};

// The mirror that apt's sources name first, as mmdebstrap takes it; "" if none is told.
std::string debian_mirror(const std::filesystem::path& etc_apt = "/etc/apt");

}  // namespace stackx::inspector
