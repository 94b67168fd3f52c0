#include "specs/python/wheel_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "specs/version/pep440.hpp"

namespace stackx::specs {
namespace {

constexpr int kAnyGlibc = 999;
constexpr int kNewestPatch = 40;  // of no Python there was one as high
constexpr int kNoAbi = 1000, kAnyPlatform = 1000;

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value > 99999)
    return std::nullopt;
  return value;
}

struct Manylinux {
  int glibc;
  std::string machine;
};

// manylinux1_x86_64, manylinux_2_28_aarch64
std::optional<Manylinux> manylinux(const std::string& platform) {
  constexpr std::pair<std::string_view, int> legacy[] = {
      {"manylinux1_", 5}, {"manylinux2010_", 12}, {"manylinux2014_", 17}};
  for (const auto& [prefix, glibc] : legacy)
    if (platform.starts_with(prefix)) return Manylinux{glibc, platform.substr(prefix.size())};
  constexpr std::string_view prefix = "manylinux_2_";
  if (!platform.starts_with(prefix)) return std::nullopt;
  const auto end = platform.find('_', prefix.size());
  if (end == platform.npos) return std::nullopt;
  const auto glibc = number(std::string_view(platform).substr(prefix.size(), end - prefix.size()));
  if (!glibc) return std::nullopt;
  return Manylinux{*glibc, platform.substr(end + 1)};
}

}  // namespace

Target::Target(const std::string& python, const std::string& platform) : python_(python) {
  const auto wheels_for = manylinux(platform);
  const std::string words = wheels_for ? "linux " + wheels_for->machine : platform;
  environment_ = MarkerEnvironment::for_python(python, words);  // checks both
  glibc_ = wheels_for ? wheels_for->glibc : kAnyGlibc;
  const auto& variables = environment_.variables;
  full_ = *Version::parse(variables.at("python_full_version"), Versioning::pep440);
  const auto& numbers = variables.at("python_version");
  major_ = number(numbers.substr(0, numbers.find('.'))).value_or(0);
  minor_ = number(numbers.substr(numbers.find('.') + 1)).value_or(0);
  system_ = variables.at("platform_system");
  machine_ = variables.at("platform_machine");
}

bool Target::is_within(const SpecifierSet& pythons) const {
  if (pythons.contains(full_)) return true;
  const auto series = fmt::format("{}.{}", major_, minor_);
  if (python_ != series) return false;
  const auto allows = [&](int patch) {
    return pythons.contains(*Version::parse(fmt::format("{}.{}", series, patch), Versioning::pep440));
  };
  if (allows(kNewestPatch)) return true;
  if (!pythons.text().contains(series + ".")) return false;  // says nothing of single releases
  for (int patch = 1; patch < kNewestPatch; ++patch)
    if (allows(patch)) return true;
  return false;
}

std::string Target::place() const {
  const std::string glibc = glibc_ == kAnyGlibc ? "" : fmt::format(" with glibc 2.{}", glibc_);
  return fmt::format("{} {}{}", system_, machine_, glibc);
}

std::string Target::text() const { return fmt::format("CPython {} on {}", python_, place()); }

// cp37-cp37m, cp36-abi3, cp37-none, py3-none. A tag of Python 3.n serves the later ones too where it
// says no more than "py3n" or abi3.
std::optional<int> Target::interpreter_rank(const std::string& python,
                                            const std::string& abi) const {
  if (python.size() < 3) return std::nullopt;
  const bool cpython = python.starts_with("cp");
  if (!cpython && !python.starts_with("py")) return std::nullopt;
  const auto major = number(std::string_view(python).substr(2, 1));
  const auto minor =
      python.size() == 3 ? std::optional(0) : number(std::string_view(python).substr(3));
  if (major != major_ || !minor || *minor > minor_) return std::nullopt;
  const int age = minor_ - *minor;
  const bool exact = python.size() > 3 && age == 0;
  if (cpython && exact) {
    const std::string own = fmt::format("cp{}{}", major_, minor_);
    const bool wide = major_ == 2 && system_ == "Linux";
    if (abi == own + (wide ? "mu" : "m")) return 0;
    if (abi == own && (major_ > 3 || minor_ >= 8)) return 0;
    if (abi == "none") return 2;
  }
  if (cpython && abi == "abi3" && major_ == 3 && python.size() > 3) return exact ? 1 : 3 + age;
  if (cpython || abi != "none") return std::nullopt;
  if (python.size() == 3) return kNoAbi + 1;
  return exact ? kNoAbi : kNoAbi + 1 + age;
}

std::optional<int> Target::platform_rank(const std::string& platform) const {
  if (platform == "any") return kAnyPlatform;
  if (system_ == "Linux") {
    if (platform == "linux_" + machine_) return 999;
    const auto wheels_for = manylinux(platform);
    if (!wheels_for || wheels_for->machine != machine_ || wheels_for->glibc > glibc_)
      return std::nullopt;
    return 998 - std::min(wheels_for->glibc, 998);
  }
  std::string machine = machine_;
  std::ranges::transform(machine, machine.begin(), [](char c) { return c == 'A' ? 'a' : c; });
  if (system_ == "Windows") {
    if (machine_ == "AMD64") return platform == "win_amd64" ? std::optional(0) : std::nullopt;
    if (machine_ == "ARM64") return platform == "win_arm64" ? std::optional(0) : std::nullopt;
    return platform == "win32" ? std::optional(0) : std::nullopt;
  }
  if (!platform.starts_with("macosx_")) return std::nullopt;
  if (platform.ends_with("_" + machine)) return 0;
  if (platform.ends_with("_universal2")) return 1;
  const bool intel = platform.ends_with("_intel") || platform.ends_with("_universal");
  return machine == "x86_64" && intel ? std::optional(2) : std::nullopt;
}

std::optional<int> Target::rank(const WheelTags& tags) const {
  std::optional<int> best;
  for (const auto& platform : tags.platforms) {
    const auto place = platform_rank(platform);
    if (!place) continue;
    for (const auto& python : tags.pythons)
      for (const auto& abi : tags.abis)
        if (const auto interpreter = interpreter_rank(python, abi)) {
          const bool pure = *place == kAnyPlatform;  // pip lists every platform before "any"
          const int rank = (pure ? 100'000'000 : 0) + *interpreter * 2000 + *place;
          if (!best || rank < *best) best = rank;
        }
  }
  return best;
}

bool Target::fits_platform(const WheelTags& tags) const {
  return std::ranges::any_of(
      tags.platforms, [&](const auto& platform) { return platform_rank(platform).has_value(); });
}

}  // namespace stackx::specs
