// Installed wheels, content-addressed: one directory per wheel, shared by every stack that holds it.
//
//   <root>/<key>/                    what the wheel holds, as `uv pip install --target` lays it out
//   <root>/<key>/.stackx-wheel.json  stackx/wheel/1, written last: file list with sizes and hashes
//   <root>/<key>.partial-<pid>/      being built; renamed into place when whole
//   <root>/<key>.lock                one builder at a time; its time is that of the last use
//
// The key is the SHA-256 of the file that the catalog names; for use by a Python its bytecode is compiled
// beside, and the key ends in that Python's tag (PythonPlace::owner); what was built from a source archive, in that of
// the image too. A native stack is a list of such directories (the loader finds partner libraries through
// LD_LIBRARY_PATH); a Python stack is a tree of hard links to them (tree.hpp). Rejected: one
// directory per stack, which would copy 700 MB of MKL for every combination with its partners. Nothing
// half-built is ever used: a directory without manifest, or with a file that lacks or has another size (another hash,
// where somebody could write to it: exposure.hpp), is rebuilt; so is one with a file that is not listed, where a native
// stack would see it: of a Python's, only what is listed is linked. What unpacks to more than it may
// (most_unpacked), to more than 500,000 files, to more than 64 directories in each other, or to names that begin as
// stackx's own (.stackx-), is not kept: no honest package does.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "inspector/cache/exposure.hpp"
#include "specs/result/outcome.hpp"

namespace stackx::inspector {

struct WheelRequest {
  std::string package, version;  // "mkl", "2024.2.2"
  std::string file, sha256;      // the wheel's file name; its hash decides what is installed
  std::uint64_t size = 0;        // bytes, for messages and limits; 0 if unknown
  std::string variant = {};      // end of the key; empty for a native stack

  std::string key() const { return variant.empty() ? sha256 : sha256 + "-" + variant; }
};

struct WheelFile {
  std::string path;  // relative
  std::uint64_t size = 0;
  std::string sha256 = {};  // "" in manifests of old
};

struct Wheel {
  std::filesystem::path directory;  // canonical
  std::vector<WheelFile> files;
  std::vector<std::filesystem::path> shared_objects;       // absolute
  std::vector<std::filesystem::path> library_directories;  // those that hold lib*.so*
};

struct BuildFailure {
  std::string reason, log_tail;
  specs::Outcome outcome = specs::Outcome::build_failed;
};

using Say = std::function<void(const std::string&)>;
// Unpacks what is asked for into an existing, empty directory.
using Installer = std::function<std::expected<void, BuildFailure>(const WheelRequest&,
                                                                  const std::filesystem::path&)>;

class WheelStore {
 public:
  WheelStore(std::filesystem::path root, Installer install, Exposure exposure = Exposure::confined);

  // From the store, or installed now. Waits while another process builds the same wheel, unless
  // `stop` says so.
  std::expected<Wheel, BuildFailure> get(const WheelRequest& request, const Say& say,
                                         const std::function<bool()>& stop = {});

 private:
  std::expected<Wheel, BuildFailure> build(const WheelRequest& request, const Say& say);

  std::filesystem::path root_;
  Installer install_;
  Exposure exposure_;
};

// The most bytes that a file of `packed` bytes may unpack to: 20 times as many, of small ones 512 MiB, of large ones 4
// times and 2 GiB, in any case 32 GiB; 4 GiB where nobody says how large it is (0). CUDA's libraries reach 3 times, text
// 10 times, a zip bomb 1,000 times. How large it is, the catalog says: uv unpacks while it fetches, and tells nobody.
std::uint64_t most_unpacked(std::uint64_t packed);
BuildFailure unpacks_to_too_much(const WheelRequest& request);

// Whether names and hash are what they claim: they end up in file names and in uv's input.
std::expected<void, BuildFailure> check(const WheelRequest& request);

}  // namespace stackx::inspector
