#include "inspector/run/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "inspector/python/python_runtime.hpp"
#include "specs/version/version.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

bool same_version(const std::string& a, const std::string& b, specs::Kind kind) {
  if (a == b) return true;
  if (kind == specs::Kind::setting) return specs::lowered(a) == specs::lowered(b);  // "SKYLAKEX" for SkylakeX
  const auto left = specs::Version::parse(a, specs::Versioning::pep440);
  const auto right = specs::Version::parse(b, specs::Versioning::pep440);
  return left && right && *left == *right;
}

// "libtbb" of "libtbb.so.12.11": what tells one library from another, whatever its version.
std::string stem(const fs::path& file) {
  const auto name = file.filename().string();
  return name.substr(0, name.find(".so"));
}

bool lies_in(const fs::path& file, const std::vector<fs::path>& directories) {
  return std::any_of(directories.begin(), directories.end(), [&](const fs::path& directory) {
    return std::mismatch(directory.begin(), directory.end(), file.begin(), file.end()).first ==
           directory.end();
  });
}

fs::path resolved(const std::string& file) {
  std::error_code error;
  const auto real = fs::canonical(file, error);
  return error ? fs::path(file).lexically_normal() : real;
}

bool is_mapped(const fs::path& library, const std::vector<fs::path>& files) {
  return !library.empty() && std::find(files.begin(), files.end(), library) != files.end();
}

bool has_mapped(const Part& part, const std::vector<fs::path>& files) {
  return is_mapped(part.library, files) ||
         std::any_of(part.partners.begin(), part.partners.end(),
                     [&](const fs::path& partner) { return is_mapped(partner, files); });
}

// Whose library was measured: the one that the PI was told to load; or, where the workload wanted
// another of the stack's (cuDNN for a convolution, NVRTC for a kernel of our own), that one.
const Part* owner(const StackEnvironment& environment, const PiReport& report,
                  const std::vector<fs::path>& files) {
  const Part* told = nullptr;
  for (const auto& part : environment.parts)
    if (part.component == environment.component) told = &part;
  if (report.component.empty() || report.component == environment.component) return told;
  if (told != nullptr && has_mapped(*told, files)) return told;
  for (const auto& part : environment.parts)
    if (has_mapped(part, files)) return &part;
  return told;
}

using Shippers = std::unordered_map<std::string, std::vector<const Part*>>;

// Which parts ship a file of this stem, by stem: a stack may hold thousands, and a PI may name thousands.
Shippers shippers_of(const StackEnvironment& environment) {
  Shippers result;
  for (const auto& part : environment.parts) {
    const auto ships = [&](const fs::path& file) {
      auto& parts = result[stem(file)];
      if (parts.empty() || parts.back() != &part) parts.push_back(&part);
    };
    for (const auto& own : part.shared_objects) ships(own);
    if (!part.library.empty()) ships(part.library);
  }
  return result;
}

std::optional<std::string> foreign_file(const StackEnvironment& environment,
                                        const std::vector<fs::path>& files) {
  const auto shippers = shippers_of(environment);
  for (const auto& file : files) {
    const auto found = shippers.find(stem(file));
    if (found == shippers.end()) continue;
    const bool is_theirs = std::ranges::any_of(found->second, [&](const Part* part) {
      return lies_in(file, part->directories) || (stem(part->library) == stem(file) && lies_in(file, {part->library}));
    });
    if (!is_theirs)
      return fmt::format("{} was loaded from {}, outside of the stack's {}", stem(file), file.string(),
                         found->second.back()->component);
  }
  return std::nullopt;
}

// Each once: the disk is asked about it.
std::vector<fs::path> resolved(const std::vector<std::string>& files) {
  std::vector<fs::path> result;
  std::unordered_set<std::string_view> seen;
  for (const auto& file : files)
    if (seen.insert(file).second) result.push_back(resolved(file));
  return result;
}

std::optional<std::string> other_version(const Part& part, const std::string& states) {
  if (part.reports == "*") return std::nullopt;
  const auto& wanted = part.reports.empty() ? part.version : part.reports;
  if (part.component == "python" && is_release(states, wanted)) return std::nullopt;
  if (same_version(states, wanted, part.kind)) return std::nullopt;
  return fmt::format("{} says it is version {}; the stack asks for {}{}", part.component, states,
                     part.version, part.reports.empty() ? "" : ", which would say " + part.reports);
}

}  // namespace

Verified verify(const StackEnvironment& environment, const PiReport& report, bool plain) {
  Verified result;
  result.loaded = report.loaded;
  const auto files = resolved(report.files);
  if (result.wrong = foreign_file(environment, files); result.wrong) return result;
  for (const auto& part : environment.parts) {
    const auto stated = report.loaded.find(part.component);
    if (stated == report.loaded.end()) continue;
    if (result.wrong = other_version(part, stated->second); result.wrong) return result;
  }

  const auto* part = owner(environment, report, files);
  if (part == nullptr) return result;
  const bool mapped = has_mapped(*part, files);
  if (!files.empty() && !mapped) {
    result.wrong =
        fmt::format("{} was never loaded; the PI ran with something else", part->library.string());
  } else if (!report.loaded.contains(part->component)) {
    if (mapped) {
      result.loaded[part->component] =
          part->package_version.empty() ? part->version : part->package_version;
    } else if (!plain) {
      result.wrong = fmt::format(
          "the PI says neither which version of {} it loaded nor which files; nothing shows that "
          "the "
          "stack was measured",
          part->component);
    }
  }
  return result;
}

}  // namespace stackx::inspector
