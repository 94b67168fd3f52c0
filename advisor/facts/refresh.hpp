// The package facts of a directory, brought up to date from where they come from.
//
//   DIRECTORY/NAME.json              one package each (specs/package/package.hpp), from the index that pip uses
//   DIRECTORY/pytorch/NAME.json      the builds on PyTorch's own index, whose versions say what they are built for
//   DIRECTORY/nvidia/cuda.json       CUDA releases and their drivers (pypi/redistributables.hpp)
//   DIRECTORY/containers/NAME.json   tags of NVIDIA's containers (pypi/registry_tags.hpp): which releases exist
// One package after the other; a file is replaced whole when all of its package was read, so that whoever ends this at
// any moment keeps what was there. A source that cannot be reached is named once, with what was not read from it, and
// all that was known stays.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "pypi/refresh.hpp"

namespace stackx::advisor {

struct PackageNews {
  std::string name, newest;
  std::vector<std::string> added, withdrawn;
  std::vector<std::string> unread;
};

struct NotReached {
  std::string what;    // "torch", "PyTorch's index: torch, torchvision"
  std::string reason;  // "" where the source knows no such name
};

struct RefreshReport {
  std::vector<PackageNews> news;
  std::size_t unchanged = 0;
  std::vector<NotReached> not_reached;
};

// A place that lists packages as an index does.
struct PackageSource {
  std::string title;  // "the package index", "PyTorch's own index"
  std::string name;   // in the files: "PyPI", "PyTorch's index"
  std::filesystem::path directory;
  std::vector<std::string> names;
  pypi::Index* index = nullptr;
};

// `listener`: "torch: 3 new". After two failures in a row the rest of a source is not tried any more.
RefreshReport refresh_packages(const std::vector<PackageSource>& sources, const std::string& today,
                               const std::function<void(const std::string&)>& listener);

// Where NVIDIA lists CUDA releases, and the registry of its containers.
struct NvidiaSources {
  std::string redistributables, registry;
  std::vector<std::string> repositories;  // "nvidia/pytorch"
};
void refresh_nvidia(const NvidiaSources& sources, const std::filesystem::path& directory, const std::string& today,
                    pypi::Transport& transport, RefreshReport& report);

// The packages that `catalog refresh` reads: data_directory/packages.json.
std::vector<std::string> packages_to_refresh(const std::filesystem::path& data_directory);

}  // namespace stackx::advisor
