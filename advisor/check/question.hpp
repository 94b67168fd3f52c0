// What `check` is asked: will these requirements run on that machine?
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "specs/catalog/first_driver.hpp"
#include "specs/python/project.hpp"

namespace stackx::advisor {

// A GPU as far as it decides what runs on it.
struct AskedGpu {
  std::string name, title;         // "v100-sxm2-16gb", "Tesla V100 SXM2 16GB"
  std::string asked;               // as the user wrote it: "v100"
  std::string vendor, architecture;  // "nvidia", "volta"
  std::string compute_capability;  // "7.0"; "": none
  std::string gfx;                 // of AMD: "gfx90a"
  bool data_center = false;
  std::string machine = {};  // the processor of its host, where it is always the same: "aarch64"
  bool jetson = false;       // runs code for its very compute capability alone: what is compiled for others' 8.x does not run
  specs::FirstDriver first_driver = {};  // of what its name may mean, that of the oldest product; none where its driver reports it
};

// Of others' no build is known.
bool is_known_vendor(const AskedGpu& gpu);

// What facts on builds elsewhere are kept by, the narrowest first: "jetson"; "neuroncore-v1", "aws".
std::vector<std::string> places_of(const AskedGpu& gpu);

// "TPU", "accelerator" of AWS and Habana, else "GPU"
const char* kind_in_words(const AskedGpu& gpu);

// As it was typed, if with capitals ("GeForce RTX 3080"); else "h100" is H100, and "8xh100" 8xH100.
std::string as_written(std::string name);

// "V100 (sm_70)", "MI250X (gfx90a)"
std::string gpu_in_words(const AskedGpu& gpu);

// What the nearest that runs leaves as it is.
struct Keep {
  std::string package = {};
  bool machine = false;    // the Python and the driver
  std::string until = {};  // the search ends where it comes to change this one: whoever asks goes on to its next release himself,
                           // and for a newer one goes back years with no vllm
};

// PyTorch's own indexes (specs/python/build_index.hpp) that the installer is to look at.
struct PyTorchIndex {
  using Labels = std::set<std::string>;  // "cu118"
  Labels labels = {};
  bool alone = false;  // in place of the usual one, which has no builds then
  std::map<std::string, Labels> own = {};  // package -> where it is taken from alone, whatever holds for others

  const Labels& labels_for(const std::string& package) const;
  bool is_alone_for(const std::string& package) const { return alone || own.contains(package); }
  Labels all_labels() const;
};

// Of Apple's processors.
inline constexpr const char* not_macos =
    "on macOS pip takes other builds, which use the GPU by Metal, and what they need is not known here";

struct Question {
  std::vector<specs::PlacedDependency> asked;  // with markers of all environments
  std::vector<specs::PlacedDependency> constraints;
  std::vector<specs::PlacedDependency> overrides = {};  // in place of what any package requires of these; with a marker that does not hold, nothing
  std::string python;              // "3.11"; "": any that these can be installed for
  std::string python_release = {};  // "3.11.4", where somebody names the very release; "": any of the series
  std::optional<specs::SpecifierSet> pythons;  // that the requirements allow
  std::vector<std::string> skipped;  // packages that no index has
  std::vector<std::string> remarks;  // on the machine and the index: sentences
  std::string machine = "x86_64";  // "aarch64"
  std::string glibc;               // "2.31"; "": new enough
  std::string driver;              // "535.183.01"; "": any
  std::string cuda_compat;         // "12.8": NVIDIA's package of forward compatibility is installed; "": it is not
  std::optional<AskedGpu> gpu;     // none: no GPU is to be used
  std::string hardware;            // as the user wrote it
  bool known_only = false;           // builds of which nobody states the GPUs, or which nobody has seen, do not count
  std::set<std::string> any_build;  // packages of which builds of other indexes count unnamed
  std::optional<PyTorchIndex> pytorch = {};
  std::string in_place_of = {};  // what was asked is not known, and what is judged stands for it: "... on Linux"; the answer is no more than that
  Keep keep = {};
  std::optional<std::set<std::string>> not_on_index = {};  // packages that the index, which was asked, does not have

  void set_python(const std::string& text);  // "3.11" or "3.11.4"
  // "3.11" -> "3.11.4", where that is the one of the question; else the series itself
  const std::string& release_of(const std::string& series) const;
};

}  // namespace stackx::advisor
