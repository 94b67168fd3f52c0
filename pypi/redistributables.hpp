// NVIDIA's CUDA releases, as its list of redistributables has them: which there are, and the driver that each came with.
//
//   BASE/                       a page of links, among them redistrib_13.0.0.json
//   BASE/redistrib_13.0.0.json  {"release_date", "release_label": "13.0.0", "nvidia_driver": {"version": "580.65.06"}, ...}
// Kept as stackx/cuda-releases/1, a release a line: {"13.0.0": {"driver": "580.65.06", "date": "2025-08-04"}}. A toolkit's own driver
// is what its PTX needs. Releases that are known are not asked for again.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "pypi/transfer/http.hpp"

namespace stackx::pypi {

struct CudaRelease {
  std::string driver, date;  // "580.65.06", "2025-08-04"; driver "" where the list names none
};
using CudaReleases = std::map<std::string, CudaRelease>;  // by label: "13.0.0"

// `known` and what is new beside. Throws Error(environment) where the list cannot be read.
CudaReleases cuda_releases(const std::string& base, const CudaReleases& known, Transport& transport);

std::string to_text(const CudaReleases& releases, const std::string& as_of);
CudaReleases load_cuda_releases(const std::filesystem::path& file);  // none where there is no file

// Of each major.minor the first release's driver: "13.0" -> "580.65.06".
std::map<std::string, std::string> drivers_of_toolkits(const CudaReleases& releases);

}  // namespace stackx::pypi
