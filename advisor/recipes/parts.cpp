#include "advisor/recipes/parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "advisor/check/stack_check.hpp"
#include "advisor/facts/frameworks.hpp"
#include "advisor/recipes/gpu_build.hpp"
#include "advisor/recipes/install_line.hpp"
#include "specs/error.hpp"
#include "specs/project/own_pis.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using specs::ArtifactType;

std::string version_of(const specs::Stack& stack, const char* component) {
  const auto at = stack.components.find(component);
  return at == stack.components.end() ? "" : at->second;
}

// "nvcr.io/nvidia/pytorch:19.05-py3" of "pytorch-19.05", "nvcr.io/nvidia/tensorflow:20.02-tf1-py3" of
// "tensorflow-20.02-tf1": how NVIDIA tags its framework containers.
std::string ngc_reference(const std::string& version) {
  const auto dash = version.find('-');
  const auto safe = [](std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
      return std::isalnum(c) || c == '.' || c == '-' || c == '_';
    });
  };
  if (dash == version.npos || !safe(version.substr(0, dash)) || !safe(version.substr(dash + 1)))
    return "";
  return fmt::format("nvcr.io/nvidia/{}:{}-py3", version.substr(0, dash), version.substr(dash + 1));
}

}  // namespace

std::string where_libraries_are(const specs::Stack& stack, const specs::Catalog& catalog) {
  for (const auto& [name, version] : stack.components) {
    const auto* entry = catalog.find(name, version);
    if (entry == nullptr || (name != "cuda" && name != "cublas") || !entry->artifacts.empty()) continue;
    return fmt::format("The catalogs know no wheels of {} {}: where that CUDA toolkit is installed, "
                       "`stackx catalog discover` writes a catalog of its libraries.", name, version);
  }
  return "";
}

namespace {

// Wheels for another processor than the host's, and their hashes, are not what is installed there.
void keep_files_for(const std::string& machine, StackPackages& packages) {
  for (auto& [name, package] : packages)
    std::erase_if(package.files, [&](const specs::Artifact& file) {
      return file.file.ends_with(".whl") && !file.file.ends_with("any.whl") &&
             file.file.find(machine) == std::string::npos;
    });
}

// Of a stack without a framework also what its CUDA runtime is made of: nothing else brings that.
void add_runtime_wheels(const Recipe& recipe, StackPackages& packages) {
  for (const auto& [name, version] : recipe.stack.components) {
    const auto* component = recipe.catalog.find(name);
    const auto* entry = component ? component->find(version) : nullptr;
    if (!entry || component->kind != specs::Kind::runtime) continue;
    for (const auto& artifact : entry->artifacts) {
      if (artifact.type != ArtifactType::wheel || artifact.package.empty()) continue;
      auto& package = packages[artifact.package];
      package.version = artifact.package_version;
      package.files.push_back(artifact);
    }
  }
}

// Dependencies that an installer would take in a version without kernels for the GPU are pinned to one that has them.
void hold_back(const Recipe& recipe, RecipeParts& parts) {
  const auto checked =
      check_packages(*recipe.knowledge, parts.packages, parts.python, asked_gpu(*recipe.accelerator, recipe.hw));
  if (!checked || checked->answer != Answer::no) return;
  const auto installed = [&](const Change& change) {
    return parts.packages.contains(change.name) || change.from.empty();
  };
  if (checked->nearest.empty() || std::ranges::any_of(checked->nearest.front().changes, installed)) {
    parts.notes.push_back("stackx check says no: " + checked->text + ".");
    return;
  }
  for (const auto& change : checked->nearest.front().changes) {
    parts.packages[change.name].version = change.to;
    parts.notes.push_back(fmt::format("{} is held at {}: left alone pip takes {}, and {}.", change.name, change.to,
                                      change.from, checked->text));
  }
}

}  // namespace

// A component of the stack: what it exports, the PI's parameters it sets, the files it is.
void RecipeParts::read(const std::string& component, const specs::VersionEntry& entry) {
  for (const auto& requirement : entry.requires_)
    if (requirement.component == "driver" && requirement.attribute.empty() && requirement.constraint.text != "*")
      driver_range += (driver_range.empty() ? "" : " and ") + requirement.constraint.text;
  variables.insert(entry.environment.begin(), entry.environment.end());
  parameters.insert(entry.parameters.begin(), entry.parameters.end());
  for (const auto& artifact : entry.artifacts) {
    if (artifact.type == ArtifactType::oci) image = artifact.file;
    if (artifact.type == ArtifactType::system && !artifact.package.empty()) system.push_back(artifact.package);
    if (!artifact.library.empty()) add_library(component, entry, artifact.library);
  }
}

void RecipeParts::from_stack(const Recipe& recipe) {
  named = brought = recipe.stack;
  packages = stack_packages(recipe.stack, recipe.catalog, recipe.roots);
  python = version_of(named, "python");
  driver = version_of(named, "driver");
  cuda = version_of(named, "cuda");
  cudnn = version_of(named, "cudnn");
  gpu = recipe.accelerator != nullptr;
  for (const auto& [name, version] : named.components)
    if (const auto* entry = recipe.catalog.find(name, version)) read(name, *entry);
  if (python.empty() && image.empty()) add_runtime_wheels(recipe, packages);
  if (const auto container = version_of(named, "ngc"); !container.empty()) {
    if (image.empty()) image = ngc_reference(container);
    ngc = true;
    return;
  }
  notes = choose_gpu_builds(packages, recipe.stack, recipe.catalog);
  if (recipe.accelerator && !recipe.accelerator->machine.empty()) keep_files_for(recipe.accelerator->machine, packages);
  if (recipe.knowledge && recipe.accelerator) hold_back(recipe, *this);
}

// The stack that names it is made of the packages, and of the settings that the catalogs' stack has.
void RecipeParts::from_pinned(const Recipe& recipe) {
  const auto& pinned = *recipe.pinned;
  by_name = true;
  python = pinned.python;
  driver_range = pinned.driver;
  glibc = pinned.glibc;
  gpu = !pinned.driver.empty();
  for (const auto& [name, libraries] : pinned.system)
    for (const auto& [library, version] : libraries)
      (library == "cuda" ? cuda : library == "cudnn" ? cudnn : system_libraries[library]) = version;
  if (!python.empty()) named.components["python"] = python;
  for (const auto& one : pinned.pythons)
    if (one != python) other_pythons.push_back(one);
  for (const auto& one : pinned.packages) {
    packages[one.name] = {one.version, one.extras, {}, one.asked, {}, one.range};
    const auto build = specs::local_label(one.version);
    gpu |= build.starts_with("rocm") || build == "xpu";
    gpu |= std::ranges::any_of(one.extras, [](const auto& extra) { return vendor_of_extra(extra) == "amd"; });
    named.components[one.extras.empty() ? one.name : fmt::format("{}[{}]", one.name, fmt::join(one.extras, ","))] =
        one.version.empty() ? (one.range.empty() ? "*" : one.range) : one.version;
  }
  for (const auto& [name, version] : recipe.stack.components) {
    const auto* component = recipe.catalog.find(name);
    const auto* entry = component ? component->find(version) : nullptr;
    if (!entry || component->kind != specs::Kind::setting) continue;
    named.components[name] = brought.components[name] = version;
    read(name, *entry);
  }
}

RecipeParts::RecipeParts(const Recipe& recipe) {
  if (recipe.pinned) from_pinned(recipe);
  else from_stack(recipe);
  for (auto& [name, package] : packages) {
    check_python_name(name);
    check_python_versions(name, package);
    for (const auto& extra : package.extras) check_python_name(extra);
    package.index = specs::build_index(name, package.version);
    if (package.index) indexes.insert(*package.index);
  }
  find_brought_builds();
  const auto of_settings = std::move(parameters);
  std::vector<std::string> left_out;
  const bool native = python.empty() && image.empty();
  const auto kind = native ? specs::PiKind::native : gpu ? specs::PiKind::framework_on_gpu : specs::PiKind::framework;
  if (by_name && !(specs::has_pi(recipe.workload.pi, kind) && has_framework(packages) && !is_for_intel(packages))) {
    import_test = import_test_of(packages);
    notes.push_back(fmt::format("stackx has no PI for {} with these: what runs is a test that imports them.",
                                recipe.workload.pi));
    return;
  }
  parameters = specs::pi_parameters(recipe.workload, kind, left_out);
  parameters.insert(of_settings.begin(), of_settings.end());
  if (!left_out.empty())
    notes.push_back(fmt::format("Left out, since the PI does not know it: {}.", fmt::join(left_out, ", ")));
  const auto where = native ? where_libraries_are(recipe.stack, recipe.catalog) : "";
  if (!where.empty()) notes.push_back(where);
  if (!specs::has_pi(recipe.workload.pi, kind))
    notes.push_back(
        fmt::format("stackx has no PI for {}: put your own program in its place.", recipe.workload.pi));
  if (image.empty()) besides = wanted_by_pi(packages);
}

// What a build is pinned to in builds of its own (vllm's torch 2.13.0+git733fca1) is on its index, too.
void RecipeParts::find_brought_builds() {
  const auto vllm = packages.find("vllm");
  if (vllm == packages.end() || !vllm->second.index) return;
  for (auto& [name, package] : packages)
    if (!package.index && specs::is_local(package.version)) package.index = vllm->second.index;
}

std::vector<std::string> RecipeParts::pip_words() const {
  std::vector<std::string> words;
  for (const auto& index : indexes) words.insert(words.end(), {"--extra-index-url", index.url});
  for (const auto& [name, package] : packages) words.push_back(requirement_text(name, package));
  words.insert(words.end(), besides.begin(), besides.end());
  return words;
}

// The PI loads what provides something (a blas, a gpu-library); the rest are its partners.
void RecipeParts::add_library(const std::string& component, const specs::VersionEntry& entry,
                              const std::string& file) {
  const bool first = library.empty();
  if (!first && entry.provides.empty()) {
    partners.push_back(file);
    return;
  }
  if (!first) partners.push_back(library);
  library = file;
  library_component = component;
}

bool RecipeParts::hashed() const {
  return !packages.empty() && (cuda.empty() || python.empty()) &&
         std::ranges::none_of(packages, [](const auto& one) { return one.second.files.empty(); });
}

std::set<std::string> RecipeParts::library_directories() const {
  std::set<std::string> result;
  auto files = partners;
  files.push_back(library);
  for (const auto& file : files) {
    const auto slash = file.rfind('/');
    if (!file.empty() && file.front() != '/') result.insert(slash == file.npos ? "" : "/" + file.substr(0, slash));
  }
  return result;
}

std::vector<std::string> RecipeParts::command(const Recipe& recipe, const std::string& program,
                                              const std::string& site,
                                              const std::string& pis) const {
  std::vector<std::string> words;
  if (!import_test.empty()) return {program, "-c", import_test};
  const bool native = python.empty() && image.empty();
  if (native) {
    words = {pis + "/stackx-pi", recipe.workload.pi};
    const auto place = [&](const std::string& file) {
      return file.front() == '/' ? file : site + "/" + file;
    };
    if (!library.empty())
      for (const auto& word : {std::string("--library"), place(library),
                               std::string("--component"), library_component})
        words.push_back(word);
    for (const auto& partner : partners)
      for (const auto& word : {std::string("--with"), place(partner)}) words.push_back(word);
  } else {
    words = {program, "-s"};
    if (site != "-") words.emplace_back("-S");
    for (const auto& word :
         {pis + "/python/bootstrap.py", site, pis + "/python/pi.py", recipe.workload.pi})
      words.push_back(word);
  }
  for (const auto& [name, value] : parameters) words.push_back(name + "=" + value);
  return words;
}

std::string recipe_head(const Recipe& recipe, const RecipeParts& parts, const std::string& what,
                        const std::string& prefix) {
  std::string text;
  const auto line = [&](const std::string& words) {
    text += prefix + one_line(words);
    text += text.ends_with('\\') ? ".\n" : "\n";  // a comment that ends in it might go on
  };
  line(fmt::format("{}: {} on {}", what, recipe.workload.text(),
                   recipe.hw.empty() ? "this machine" : recipe.hw));
  line(fmt::format("stack {}", parts.named.id()));
  for (const auto& [name, version] : parts.named.components)
    line(fmt::format("  {} {}", name, version));
  for (const auto& words : recipe.evidence) line(words);
  std::string needs;
  const auto need = [&](const char* name, const std::string& version) {
    if (!version.empty()) needs += fmt::format("{}{} {}", needs.empty() ? "" : ", ", name, version);
  };
  need("Python", specs::minor_release(parts.python));
  if (!parts.other_pythons.empty()) needs += fmt::format(" ({} will do)", fmt::join(parts.other_pythons, ", "));
  need("the NVIDIA driver", parts.driver.empty() ? parts.driver_range : parts.driver);
  if (!parts.driver.empty() && !parts.driver_range.empty()) needs += fmt::format(" ({} will do)", parts.driver_range);
  need("CUDA", parts.cuda);
  need("cuDNN", parts.cudnn);
  for (const auto& [library, version] : parts.system_libraries) need(library_in_words(library).c_str(), version);
  need("glibc", parts.glibc.empty() ? "" : parts.glibc + " or newer");
  if (!needs.empty()) line("needs " + needs);
  for (const auto& note : parts.notes) line(note);
  return text;
}

}  // namespace stackx::advisor
