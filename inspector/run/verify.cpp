#include "inspector/run/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "inspector/environment/python_runtime.hpp"
#include "specs/version/version.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool same_version(const std::string& a, const std::string& b, specs::Kind kind) {
  if (a == b) return true;
  if (kind == specs::Kind::setting) return lower(a) == lower(b);  // "SKYLAKEX" for SkylakeX
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

std::optional<std::string> foreign_file(const StackEnvironment& environment,
                                        const std::vector<fs::path>& files) {
  for (const auto& file : files) {
    std::vector<fs::path> homes;  // where a file of this name may come from
    std::string component;
    for (const auto& part : environment.parts) {
      const bool ships = std::any_of(part.shared_objects.begin(), part.shared_objects.end(),
                                     [&](const fs::path& own) { return stem(own) == stem(file); });
      const bool is_library = !part.library.empty() && stem(part.library) == stem(file);
      if (!ships && !is_library) continue;
      component = part.component;
      homes.insert(homes.end(), part.directories.begin(), part.directories.end());
      if (is_library) homes.push_back(part.library);
    }
    if (!component.empty() && !lies_in(file, homes)) {
      return fmt::format("{} was loaded from {}, outside of the stack's {}", stem(file),
                         file.string(), component);
    }
  }
  return std::nullopt;
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

Verified verify(const StackEnvironment& environment, const PiReport& report) {
  Verified result;
  result.loaded = report.loaded;
  std::vector<fs::path> files;
  for (const auto& file : report.files) files.push_back(resolved(file));

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
    } else {
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
