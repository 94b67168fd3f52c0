#include "advisor/recipes/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "advisor/check/stack_check.hpp"
#include "advisor/recipes/gpu_build.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using specs::ArtifactType;

using Names = std::set<std::string>;

// kernels/: what each PI takes, beside what all take.
const std::map<std::string, Names>& own_parameters() {
  static const std::map<std::string, Names> all{
      {"matmul", {"m", "n", "k", "dtype", "framework", "mode", "device", "threads", "tf32"}},
      {"conv1d",
       {"length", "kernel", "batch", "in_channels", "out_channels", "stride", "padding", "layout",
        "dtype", "framework", "mode", "device", "threads", "tf32"}},
      {"conv2d",
       {"height", "width", "kernel", "kernel_h", "kernel_w", "batch", "in_channels", "out_channels",
        "stride", "padding", "layout", "dtype", "framework", "mode", "device", "threads", "tf32"}},
      {"import_time", {"module", "framework"}},
      {"hello_world", {"items", "framework"}},
      {"train_resnet50",
       {"batch", "image_size", "classes", "depth", "width", "version", "layout", "learning_rate",
        "momentum", "num_warmup_batches", "num_batches", "display_every", "dtype", "framework",
        "mode", "device", "threads", "tf32"}}};
  return all;
}
// Of stackx-pi alone; their workloads' parameters are its own, so all are passed on.
const Names& native_only() {
  static const Names all{"lstm", "gru", "softmax", "layer_norm", "attention", "stream",
                         "memory_bandwidth", "launch_latency", "transfer"};
  return all;
}
const Names& for_frameworks() {  // what only they take
  static const Names all{"framework", "mode", "device", "tf32"};
  return all;
}
const Names& common_parameters() {
  static const Names all{"repetitions", "mini_batch",  "min_sample_ms",
                         "warmup_ms",   "max_seconds", "seed"};
  return all;
}

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

// Beside ASCII's controls those of Latin-1 and what is no character: readers of YAML refuse them, or end the line.
std::string one_line(std::string_view text) {
  const std::string valid = specs::to_utf8(text);
  std::string result;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto at = [&](std::size_t k) {
      return static_cast<unsigned char>(k < valid.size() ? valid[k] : 0);
    };
    const bool latin = at(i) == 0xc2 && at(i + 1) < 0xa0;  // U+0080 to U+009F
    const bool separator =
        at(i) == 0xe2 && at(i + 1) == 0x80 && (at(i + 2) | 1) == 0xa9;  // U+2028, U+2029
    const bool none =
        at(i) == 0xef && ((at(i + 1) == 0xbf && at(i + 2) >= 0xbe) ||  // U+FFFE, U+FFFF
                          (at(i + 1) == 0xbb && at(i + 2) == 0xbf));   // U+FEFF
    if (latin || separator || none) {
      result += ' ';
      i += latin ? 1 : 2;
    } else {
      result += at(i) < 0x20 || at(i) == 0x7f ? ' ' : valid[i];
    }
  }
  return result;
}

bool has_control(const std::string& text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

bool has_pi(const std::string& name, PiKind kind) {
  if (kind == PiKind::native && (name == "conv1d" || name == "import_time" || name == "train_resnet50"))
    return false;
  return own_parameters().contains(name) || (kind == PiKind::native && native_only().contains(name));
}

std::string where_libraries_are(const specs::Stack& stack, const specs::Catalog& catalog) {
  for (const auto& [name, version] : stack.components) {
    const auto* component = catalog.find(name);
    const auto* entry = component == nullptr ? nullptr : component->find(version);
    if (entry == nullptr || (name != "cuda" && name != "cublas") || !entry->artifacts.empty()) continue;
    return fmt::format("The catalogs know no wheels of {} {}: where that CUDA toolkit is installed, "
                       "`stackx catalog discover` writes a catalog of its libraries.", name, version);
  }
  return "";
}

std::map<std::string, std::string> pi_parameters(const specs::Workload& workload, PiKind kind,
                                                 std::vector<std::string>& left_out) {
  const auto own = own_parameters().find(workload.pi);
  if (own == own_parameters().end()) return workload.params;
  std::map<std::string, std::string> result;
  for (const auto& [name, value] : workload.params)
    if ((own->second.contains(name) && !(kind == PiKind::native && for_frameworks().contains(name))) ||
        common_parameters().contains(name))
      result.emplace(name, value);
    else
      left_out.push_back(name);
  if (kind == PiKind::framework_on_gpu && own->second.contains("device")) result.try_emplace("device", "gpu");
  return result;
}

std::string shell_quoted(const std::string& text) {
  const bool bare = !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return (c < 0x80 && std::isalnum(c)) ||
           (c != 0 &&
            std::string_view("_./:=@%+,-").find(static_cast<char>(c)) != std::string_view::npos);
  });
  if (bare) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

namespace {

// Wheels for another processor than the host's, and their hashes, are not what is installed there.
void keep_files_for(const std::string& machine, StackPackages& packages) {
  for (auto& [name, package] : packages)
    std::erase_if(package.files, [&](const specs::Artifact& file) {
      return file.file.ends_with(".whl") && !file.file.ends_with("any.whl") && file.file.find(machine) == std::string::npos;
    });
}

// Dependencies that an installer would take in a version without kernels for the GPU are pinned to one that has them.
void hold_back(const Recipe& recipe, RecipeParts& parts) {
  const auto checked = check_packages(*recipe.knowledge, parts.packages, parts.python, asked_gpu(*recipe.accelerator, recipe.hw));
  if (!checked || checked->answer != Answer::no) return;
  const auto installed = [&](const Change& change) { return parts.packages.contains(change.name) || change.from.empty(); };
  if (checked->nearest.empty() || std::ranges::any_of(checked->nearest.front().changes, installed)) {
    parts.notes.push_back("stackx check says no: " + checked->text + ".");
    return;
  }
  for (const auto& change : checked->nearest.front().changes) {
    parts.packages[change.name].version = change.to;
    parts.notes.push_back(fmt::format("{} is held at {}: left alone pip takes {}, and {}.", change.name, change.to, change.from,
                                      checked->text));
  }
}

}  // namespace

RecipeParts::RecipeParts(const Recipe& recipe)
    : packages(stack_packages(recipe.stack, recipe.catalog, recipe.roots)),
      python(version_of(recipe.stack, "python")),
      driver(version_of(recipe.stack, "driver")),
      cuda(version_of(recipe.stack, "cuda")),
      cudnn(version_of(recipe.stack, "cudnn")) {
  std::map<std::string, std::string> of_settings;
  for (const auto& [name, version] : recipe.stack.components) {
    const auto* component = recipe.catalog.find(name);
    const auto* entry = component ? component->find(version) : nullptr;
    if (!entry) continue;
    for (const auto& requirement : entry->requires_)
      if (requirement.component == "driver" && requirement.attribute.empty() &&
          requirement.constraint.text != "*")
        driver_range += (driver_range.empty() ? "" : " and ") + requirement.constraint.text;
    variables.insert(entry->environment.begin(), entry->environment.end());
    of_settings.insert(entry->parameters.begin(), entry->parameters.end());
    for (const auto& artifact : entry->artifacts) {
      if (artifact.type == ArtifactType::oci) image = artifact.file;
      if (artifact.type == ArtifactType::system && !artifact.package.empty())
        system.push_back(artifact.package);
      if (!artifact.library.empty()) add_library(name, *entry, artifact.library);
    }
  }
  if (const auto ngc = version_of(recipe.stack, "ngc"); !ngc.empty()) {
    if (image.empty()) image = ngc_reference(ngc);
    this->ngc = true;
  } else {
    notes = choose_gpu_builds(packages, recipe.stack, recipe.catalog);
    if (recipe.accelerator && !recipe.accelerator->machine.empty()) keep_files_for(recipe.accelerator->machine, packages);
    if (recipe.knowledge && recipe.accelerator) hold_back(recipe, *this);
  }
  std::vector<std::string> left_out;
  const bool native = python.empty() && image.empty();
  const auto kind = native                          ? PiKind::native
                    : recipe.accelerator != nullptr ? PiKind::framework_on_gpu
                                                    : PiKind::framework;
  parameters = pi_parameters(recipe.workload, kind, left_out);
  parameters.insert(of_settings.begin(), of_settings.end());
  if (!left_out.empty())
    notes.push_back(
        fmt::format("Left out, since the PI does not know it: {}.", fmt::join(left_out, ", ")));
  const auto where = native ? where_libraries_are(recipe.stack, recipe.catalog) : "";
  if (!where.empty()) notes.push_back(where);
  if (!has_pi(recipe.workload.pi, kind))
    notes.push_back(fmt::format("stackx has no PI for {}: put your own program in its place.",
                                recipe.workload.pi));
  for (const auto& [name, package] : packages) {
    check_python_name(name);
    check_python_version(name, package.version);
    for (const auto& extra : package.extras) check_python_name(extra);
  }
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
  return !packages.empty() && cuda.empty() &&
         std::ranges::none_of(packages, [](const auto& one) { return one.second.files.empty(); });
}

std::vector<std::string> RecipeParts::command(const Recipe& recipe, const std::string& program,
                                              const std::string& site,
                                              const std::string& pis) const {
  std::vector<std::string> words;
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
  line(fmt::format("stack {}", recipe.stack.id()));
  for (const auto& [name, version] : recipe.stack.components)
    line(fmt::format("  {} {}", name, version));
  for (const auto& words : recipe.evidence) line(words);
  std::string needs;
  const auto need = [&](const char* name, const std::string& version) {
    if (!version.empty()) needs += fmt::format("{}{} {}", needs.empty() ? "" : ", ", name, version);
  };
  need("Python", specs::minor_release(parts.python));
  need("the NVIDIA driver", parts.driver);
  if (!parts.driver_range.empty()) needs += fmt::format(" ({} will do)", parts.driver_range);
  need("CUDA", parts.cuda);
  need("cuDNN", parts.cudnn);
  if (!needs.empty()) line("needs " + needs);
  for (const auto& note : parts.notes) line(note);
  return text;
}

}  // namespace stackx::advisor
