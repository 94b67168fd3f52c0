// What the wheels of a stack require and the stack does not name.
//
// Catalogs of GPU frameworks name what decides a rate: CUDA, cuDNN, NCCL. The thirty packages that `pip install torch` brings
// beside these are chosen by uv when the stack is built, as pip would choose them: from the index, within the versions of
// the stack, for its Python. The choice is kept as a pylock.toml (PEP 751), so that a stack stays the same on this machine;
// its files are installed by hash like those of a catalog, and every result names them. A stack that names all, as
// `catalog import pypi` writes them, is not added to. Rejected: catalogs of all that a release requires, stale the day
// after; packages of another version than is required, which are the stack's own choice, and stay.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "inspector/python/wheels.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/python/marker.hpp"

namespace stackx::inspector {

// A package of the stack: "2.15.0+cu132". A local label that names an extra of the wheel asks for it (jax 0.12.0.1+cuda13).
struct NamedWheel {
  const Wheel* wheel = nullptr;  // null: the catalog names no file of it, and it is chosen, too (torch 2.14.1+cu126);
  std::string package, version;  // of comes_as_wheels(), those for every CUDA are meant, if one is chosen
};

// NVIDIA's libraries that catalogs name by themselves and that come as wheels, one for every CUDA.
bool comes_as_wheels(std::string_view component);

struct Completion {
  std::vector<std::string> requirements;       // PEP 508, sorted, without markers; empty: nothing lacks
  std::map<std::string, std::string> present;  // package, normalised -> version: what is there already
  std::vector<std::string> constraints;        // "nvidia-cudnn-cu12==9.8.0.*": of what may be chosen
};

// With NumPy, by which stackx's PIs check their results, where anything lacks and that does, too.
Completion completion_of(const std::vector<NamedWheel>& wheels, const specs::MarkerEnvironment& environment);

struct ChosenWheel {
  std::string package, version;
  specs::Artifact artifact;
};
// Of a pylock.toml that uv wrote. Throws Error(bad_input) for what is none.
std::vector<ChosenWheel> read_choice(const std::filesystem::path& pylock);

}  // namespace stackx::inspector
