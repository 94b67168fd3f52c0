#include "campaigns/thoth/python.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "specs/version/text_scanner.hpp"

namespace stackx::campaigns {
namespace {

// "==3.9.*" -> "3.9"
std::string release_of(const specs::VersionEntry& image) {
  for (const auto& requirement : image.requires_) {
    if (requirement.component != "python" || requirement.constraint.any.size() != 1) continue;
    const auto text = requirement.constraint.any[0].range.text();
    if (text.starts_with("==") && text.ends_with(".*")) return text.substr(2, text.size() - 4);
    if (text.starts_with("==") && !text.starts_with("===")) return text.substr(2);
  }
  return "";
}

// "3.6" of "3.6.15"; "" for what is no such version.
std::string minor_release(const std::string& version) {
  const auto first = version.find('.');
  if (first == version.npos) return "";
  return version.substr(0, version.find('.', first + 1));
}

std::string machine() {
  utsname name{};
  return uname(&name) == 0 ? name.machine : "x86_64";
}

// Wheels that ask for a newer glibc than this one do not load.
std::string platform_of(const std::string& glibc) {
  if (!glibc.starts_with("2.")) return Pythons::usual_platform();
  return fmt::format("manylinux_2_{}_{}", glibc.substr(2), machine());
}

std::string glibc_of(const specs::VersionEntry& image) {
  const auto found = image.attributes.find("glibc");
  const auto* text =
      found == image.attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text ? *text : "";
}

int minor_number(const std::string& release) {
  return std::atoi(release.c_str() + std::min(release.size(), release.find('.') + 1));
}

}  // namespace

Pythons::Pythons(const specs::Catalog& images, std::vector<inspector::Interpreter> interpreters,
                 const std::string& runner, bool has_runtime) {
  const auto* component = images.find("image");
  if (component && runner != "local" && (has_runtime || runner == "container"))
    for (const auto& entry : component->versions)
      if (const auto python = release_of(entry); !python.empty())
        images_.push_back({entry.version.text(), python, glibc_of(entry)});
  if (runner == "container") return;
  for (auto& one : interpreters)
    if (one.environment.empty()) interpreters_.push_back(std::move(one));
}

std::optional<PythonPlace> Pythons::serving(const std::string& python) const {
  // Which 3.9 an image holds shows when it is made: it serves who asks for no more than 3.9.
  for (const auto& image : images_)
    if (image.python == python)
      return PythonPlace{python, python, image.version, {}, platform_of(image.glibc)};
  if (const auto* found = inspector::serving(interpreters_, python))
    return PythonPlace{python, found->version, "", found->program,
                       platform_of(gnu_get_libc_version())};
  return std::nullopt;
}

std::string Pythons::usual_platform() { return "linux " + machine(); }

std::vector<std::string> Pythons::near(const std::string& python) const {
  std::set<std::string> releases;
  for (const auto& image : images_) releases.insert(minor_release(image.python));
  for (const auto& one : interpreters_) releases.insert(minor_release(one.version));
  const auto wanted = minor_release(python);
  const auto major = wanted.substr(0, wanted.find('.') + 1);
  std::vector<std::string> result;
  for (const auto& release : releases)
    if (!release.empty() && release.starts_with(major)) result.push_back(release);
  std::ranges::sort(result, {}, [&](const std::string& release) {
    const int steps = minor_number(release) - minor_number(wanted);
    return std::pair(std::abs(steps), -steps);
  });
  return result;
}

std::string Pythons::text() const {
  std::string images, interpreters;
  for (const auto& image : images_)
    images +=
        fmt::format("{}{} (Python {})", images.empty() ? "" : ", ", image.version, image.python);
  for (const auto& one : interpreters_)
    interpreters += fmt::format("{}{} ({})", interpreters.empty() ? "" : ", ", one.version,
                                one.program.string());
  return fmt::format("images: {}; interpreters: {}", images.empty() ? "none" : images,
                     interpreters.empty() ? "none" : interpreters);
}

std::string python_of_base(const std::string& base) {
  for (auto at = base.find("py"); at != base.npos; at = base.find("py", at + 1)) {
    specs::TextScanner in(std::string_view(base).substr(at + 2));
    in.skip_word("thon");
    if (in.peek() == '-' || in.peek() == ':') in.skip(1);
    const auto major = in.peek();
    if (major != '2' && major != '3') continue;
    in.skip(1);
    if (in.peek() == '.') in.skip(1);
    const auto minor = in.digits();
    if (!minor.empty() && minor.size() <= 2) return fmt::format("{}.{}", major, minor);
  }
  return "";
}

}  // namespace stackx::campaigns
