// Recipes for Python's own tools: requirements.txt, Pipfile, pylock.toml.
#include <fmt/format.h>

#include <algorithm>

#include "advisor/recipes/install_line.hpp"
#include "advisor/recipes/parts.hpp"
#include "advisor/recipes/pipfile_text.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/python/build_index.hpp"
#include "specs/python/project.hpp"
#include "specs/python/wheel_target.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using specs::ArtifactType;
using specs::Json;

// Not what is in a Python 3.9 wheel where the stack's is 3.11; all, if none suits.
std::vector<specs::Artifact> suitable(const std::string& name, const StackPackage& package,
                                      const std::string& python) {
  if (python.empty()) return package.files;
  const specs::Target target(specs::minor_release(python), "linux x86_64");
  std::vector<specs::Artifact> result;
  for (const auto& file : package.files) {
    const auto parsed = specs::parse_file_name(file.file, specs::normalized_name(name));
    if (file.type == ArtifactType::sdist ||
        (parsed && parsed->wheel && target.rank(*parsed->wheel)))
      result.push_back(file);
  }
  return result.empty() ? package.files : result;
}

// A name that stays in its directory.
void check_file(const std::string& file) {
  if (!file.empty() && file.find('/') == file.npos && file != "." && file != ".." &&
      !has_control(file))
    return;
  throw bad_input(
      fmt::format("--format pylock: {} is no name of a wheel or source archive", toml_text(file)));
}

std::string toml_file(const specs::Artifact& file) {
  check_file(file.file);
  std::string text =
      fmt::format("{{name = {}, path = {}", toml_text(file.file), toml_text("wheels/" + file.file));
  if (file.size > 0) text += fmt::format(", size = {}", file.size);
  return text + fmt::format(", hashes = {{sha256 = {}}}}}", toml_text(file.sha256));
}

// Why there are none to check, where some files are known: pip takes hashes of all packages or of none.
std::string without_hashes(const RecipeParts& parts) {
  std::string without;
  bool any = false;
  for (const auto& [name, package] : parts.packages) {
    any |= !package.files.empty();
    if (package.files.empty()) without += (without.empty() ? "the files of " : ", ") + name;
  }
  if (!any) return "";
  return fmt::format("# Hashes only as comments: pip takes all or none, and the catalog lacks {}.\n",
                     without.empty() ? "what these require" : without);
}

// Sources, the first of which is that of packages without one. PyPI must be named beside PyTorch's.
Json pipfile_sources(const RecipeParts& parts) {
  Json sources = Json::array();
  if (parts.indexes.empty()) return sources;
  sources.push_back({{"name", "pypi"}, {"url", specs::usual_index}, {"verify_ssl", true}});
  for (const auto& index : parts.indexes)
    sources.push_back({{"name", index.name}, {"url", index.url}, {"verify_ssl", true}});
  return sources;
}

void pylock_package(std::string& text, const std::string& name, const StackPackage& package,
                    const std::string& python) {
  text += fmt::format("\n[[packages]]\nname = {}\nversion = {}\n",
                      toml_text(specs::normalized_name(name)), toml_text(package.version));
  std::string wheels;
  for (const auto& file : suitable(name, package, python)) {
    if (file.type == ArtifactType::wheel)
      wheels += "  " + toml_file(file) + ",\n";
    else if (text.find("\nsdist = ", text.rfind("[[packages]]")) == text.npos)
      text += "sdist = " + toml_file(file) + "\n";
  }
  if (!wheels.empty()) text += "wheels = [\n" + wheels + "]\n";
}

// What is compiled comes last, where the others are by then.
std::string install_of_file(const Recipe& recipe, const RecipeParts& parts) {
  if (recipe.pinned != nullptr && std::ranges::any_of(recipe.pinned->packages, &PinnedPackage::compiled))
    return fmt::format("# {}\n# pip install --no-build-isolation -r THIS   (where the compiler of CUDA or ROCm is)\n", install_first(*recipe.pinned));
  return std::string("# pip install -r THIS\n") + (parts.indexes.empty() ? "" : "# uv pip install --index-strategy unsafe-best-match -r THIS\n");
}

}  // namespace

void require_packages(const RecipeParts& parts, const char* format) {
  if (parts.ngc)
    throw bad_input(fmt::format(
        "--format {}: the packages of this stack are NVIDIA's own builds inside {}, and no index "
        "has them; --format containerfile, sbatch or pod runs that image",
        format, parts.image.empty() ? "its container" : parts.image));
  if (!parts.packages.empty()) return;
  throw bad_input(fmt::format(
      "--format {}: this stack holds no Python package; --format containerfile or sbatch says it",
      format));
}

// What no file of Python's tools can say, for whoever runs the stack.
std::string exports(const RecipeParts& parts) {
  std::string text;
  for (const auto& [name, value] : parts.variables)
    text += "#   export " +
            (has_control(value) ? one_line(name) + "=... (control characters)"
                                : name + "=" + shell_quoted(value)) +
            "\n";
  return text.empty() ? text : "# settings of the stack, to be exported before it is run:\n" + text;
}

std::string requirements_recipe(const Recipe& recipe) {
  const RecipeParts parts(recipe);
  require_packages(parts, "requirements");
  const bool hashed = parts.hashed();
  std::string text = recipe_head(recipe, parts, "requirements of pip");
  if (hashed) {
    text += "# pip install --require-hashes --no-deps -r THIS\n";
  } else {
    text += install_of_file(recipe, parts);
    text += without_hashes(parts) + "# What these require besides is not pinned: pip takes the newest that fits.\n";
  }
  text += exports(parts);
  for (const auto& index : parts.indexes) text += "--extra-index-url " + index.url + "\n";
  for (const auto& [name, package] : parts.packages) {
    text += requirement_text(name, package);
    for (const auto& hash : package.hashes())
      text += (hashed ? " \\\n    --hash=" : "\n#   --hash=") + hash;
    text += "\n";
  }
  return text;
}

std::string pipfile_recipe(const Recipe& recipe) {
  const RecipeParts parts(recipe);
  require_packages(parts, "pipfile");
  for (const auto& index : parts.indexes)
    if (index.whole)
      throw bad_input(fmt::format("--format pipfile: what the builds on {} require is there alone, and pipenv looks there for nothing "
                                  "but what is named; ask for --format requirements or uv", index.url));
  Json packages = Json::object();
  for (const auto& [name, package] : parts.packages) packages[name] = pipfile_pin(package);
  return recipe_head(recipe, parts, "Pipfile of pipenv") + exports(parts) +
         pipfile_text(pipfile_sources(parts), packages, pipfile_requires(parts.named));
}

std::string pylock_recipe(const Recipe& recipe) {
  const RecipeParts parts(recipe);
  require_packages(parts, "pylock");
  for (const auto& [name, package] : parts.packages)
    if (package.files.empty())
      throw bad_input(fmt::format(
          "--format pylock: a lock names files with their hashes, and no file of {} is known here; ask for --format "
          "requirements, of which uv makes a lock: uv pip compile --format pylock.toml --index-strategy "
          "unsafe-best-match -o pylock.toml requirements.txt", name + (package.version.empty() ? package.range : " " + package.version)));
  if (!parts.cuda.empty() && !parts.hashed())
    throw bad_input(
        "--format pylock: a lock names every file with its hash, and catalogs of GPU frameworks do "
        "not "
        "list what these require; ask for --format requirements");
  std::string text = recipe_head(recipe, parts, "pylock.toml (PEP 751)");
  text +=
      "# The files are looked for beside this one: pip download --require-hashes --no-deps -d "
      "wheels -r R, R being what\n"
      "# --format requirements prints.\n" +
      exports(parts);
  text += "lock-version = \"1.0\"\ncreated-by = \"stackx\"\n";
  text += "environments = [\"sys_platform == 'linux' and platform_machine == 'x86_64'\"]\n";
  if (!parts.python.empty()) {
    check_python_version("python", specs::minor_release(parts.python));
    text +=
        fmt::format("requires-python = {}\n", toml_text("==" + specs::minor_release(parts.python) + ".*"));
  }
  for (const auto& [name, package] : parts.packages)
    pylock_package(text, name, package, parts.python);
  return text;
}

}  // namespace stackx::advisor
