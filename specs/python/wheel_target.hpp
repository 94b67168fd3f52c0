// What a catalog is imported for, and which wheels fit it (PEP 425, PEP 600).
//
//   Target("3.7", "linux x86_64")        CPython 3.7 and any glibc
//   Target("3.7", "manylinux2014_x86_64")  wheels for that glibc (2.17) or an older one
//   Target("3.11", "macos arm64"), Target("3.11", "windows amd64")
// Wheels rank as pip ranks them: built for this very Python, then abi3, then without ABI; for the platform
// before any; for a newer glibc before an older one. musl, PyPy and free-threaded builds are not targets;
// Python 2 has wide Unicode on Linux (cp27mu), as distributions build it, and narrow (cp27m) elsewhere.
#pragma once

#include <optional>
#include <string>

#include "specs/python/distribution_file.hpp"
#include "specs/python/marker.hpp"
#include "specs/version/specifier.hpp"

namespace stackx::specs {

class Target {
 public:
  // Throws Error(bad_input) for what is neither a Python version nor a platform.
  Target(const std::string& python, const std::string& platform);

  // The smaller the better; none: the wheel does not fit.
  std::optional<int> rank(const WheelTags& tags) const;
  // Of a wheel for other Pythons: is it for this platform?
  bool fits_platform(const WheelTags& tags) const;

  const MarkerEnvironment& environment() const { return environment_; }
  const std::string& python() const { return python_; }     // as given: "3.7"
  const Version& python_version() const { return full_; }  // "3.7.0"
  // What Requires-Python says of it; where a series was named ("3.7"), of some release of the series: >=3.7.1 takes its later ones.
  bool is_within(const SpecifierSet& pythons) const;
  std::string place() const;                                // "Linux x86_64 with glibc 2.31"
  std::string text() const;                                 // "CPython 3.7 on Linux x86_64"

 private:
  std::optional<int> interpreter_rank(const std::string& python, const std::string& abi) const;
  std::optional<int> platform_rank(const std::string& platform) const;

  std::string python_, system_, machine_;
  int major_ = 0, minor_ = 0;
  int glibc_ = 0;  // newest minor version of glibc 2 that wheels may ask for
  MarkerEnvironment environment_;
  Version full_;
};

}  // namespace stackx::specs
