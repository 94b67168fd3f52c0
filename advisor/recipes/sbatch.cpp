// The recipe as a Slurm batch script: the image under Apptainer, or the packages in a virtual environment of the job.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "advisor/recipes/cluster.hpp"
#include "specs/error.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

std::string command_line(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + shell_quoted(word);
  return text;
}

// Words of the PI in which @place@ stands for a variable of the script.
std::string pi_line(const RecipeParts& parts, const Recipe& recipe, const std::string& program,
                    const std::string& site, const std::string& pis) {
  std::string text;
  for (const auto& word : parts.command(recipe, program, site, pis)) {
    std::string quoted;
    if (word == program)
      quoted = "\"$python\"";
    else if (word.starts_with(pis + "/"))
      quoted = "\"$STACKX_PI\"" + shell_quoted(word.substr(pis.size()));
    else if (word == site && site != "-")
      quoted = "\"$site\"";
    else if (word.starts_with(site + "/") && site != "-")
      quoted = "\"$site\"" + shell_quoted(word.substr(site.size()));
    else
      quoted = shell_quoted(word);
    text += (text.empty() ? "" : " ") + quoted;
  }
  return text;
}

// The stack's settings, for the PI alone: the shell and pip are not to be directed by them.
std::string with_settings(const RecipeParts& parts, const std::string& command) {
  if (parts.variables.empty()) return command;
  std::string text = "env";
  for (const auto& [name, value] : parts.variables) text += " " + name + "=" + shell_quoted(value);
  return text + " \\\n  " + command;
}

// Bash takes what stands here as it is: no line of requirements can be the delimiter, which is no package's name.
std::string here_document(const std::string& text) {
  return "<<'END OF REQUIREMENTS'\n" + text + "END OF REQUIREMENTS\n";
}

// Hashes are for all that is installed, or for nothing.
bool hashes_suffice(const RecipeParts& parts) { return parts.hashed() && parts.besides.empty(); }

std::string pins(const RecipeParts& parts) {
  std::string text;
  for (const auto& index : parts.indexes) text += "--extra-index-url " + index.url + "\n";
  for (const auto& words : parts.besides) text += words + "\n";
  for (const auto& [name, package] : parts.packages) {
    text += requirement_text(name, package);
    if (hashes_suffice(parts))
      for (const auto& hash : package.hashes()) text += " --hash=" + hash;
    text += "\n";
  }
  return text;
}

// The first of those that the stack runs on; sites have theirs in modules.
std::string find_python(const RecipeParts& parts) {
  std::string names = parts.python.empty() ? "python3" : "";
  auto pythons = parts.other_pythons;
  if (!parts.python.empty()) pythons.insert(pythons.begin(), parts.python);
  for (const auto& python : pythons) {
    check_python_version("python", specs::minor_release(python));
    names += (names.empty() ? "python" : " python") + specs::minor_release(python);
  }
  return fmt::format("python=${{STACKX_PYTHON:-}}\n"
                     "for one in {0}; do [ -n \"$python\" ] || python=$(command -v \"$one\" || true); done\n"
                     ": \"${{python:?no {0} on this node: load its module, or name one in STACKX_PYTHON}}\"\n", names);
}

std::string from_image(const RecipeParts& parts, const Recipe& recipe) {
  std::vector<std::string> words = {"apptainer", "exec"};
  if (parts.gpu) words.emplace_back(recipe.accelerator && recipe.accelerator->vendor == "amd" ? "--rocm" : "--nv");
  std::string text;
  for (const auto& [name, value] : parts.variables) text += "export APPTAINERENV_" + name + "=" + shell_quoted(value) + "\n";
  text += command_line(words) + " --bind \"$STACKX_PI/python:/opt/stackx/python:ro\" " +
                     shell_quoted("docker://" + parts.image) + " \\\n  ";
  return text + command_line(parts.command(recipe, "python3", "-", "/opt/stackx")) + "\n";
}

std::string from_packages(const RecipeParts& parts, const Recipe& recipe) {
  const bool native = parts.python.empty(), test = !parts.import_test.empty();
  std::string text = "work=$(mktemp -d)\ntrap 'rm -rf \"$work\"' EXIT\nsite=$work/site\n";
  const bool install = !parts.packages.empty();
  if (install || !native) text += find_python(parts);
  text += install ? "cat > \"$work/requirements.txt\" " + here_document(pins(parts))
                  : "mkdir \"$site\"\n";
  if (install)
    text += fmt::format(
        "\"$python\" -m venv \"$work/venv\"\n\"$work/venv/bin/python\" -m pip install --quiet {}"
        "{}-r \"$work/requirements.txt\"\n",
        hashes_suffice(parts) ? "--require-hashes --no-deps " : "", test ? "" : "--target \"$site\" ");
  if (test)
    return text + with_settings(parts, "\"$work/venv/bin/python\" -c " + shell_quoted(parts.import_test)) + "\n";
  for (const auto& directory : native ? parts.library_directories() : std::set<std::string>{})
    text += "export LD_LIBRARY_PATH=\"$site\"" + (directory.empty() ? "" : shell_quoted(directory)) +
            "\"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"\n";
  return text + with_settings(parts, pi_line(parts, recipe, "@python@", "@site@", "@pi@")) + "\n";
}

}  // namespace

std::string sbatch_recipe(const Recipe& recipe) {
  RecipeParts parts(recipe);
  std::string text = "#!/usr/bin/env bash\n";
  text += fmt::format("#SBATCH --job-name={}\n", job_name(recipe, parts));
  if (parts.gpu) {
    const auto type = gres_type(recipe);
    text += fmt::format("#SBATCH --gres=gpu:{}1\n", type.empty() ? "" : type + ":");
  }
  text += fmt::format("#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task={}\n#SBATCH --mem={}G\n",
                      threads(parts), memory_gib(parts));
  text += "#SBATCH --time=00:30:00\n#SBATCH --output=%x-%j.out\n";
  if (parts.gpu && !mig_profile(recipe).empty())
    parts.notes.push_back(fmt::format("It asks for a MIG instance, of a type that Slurm's AutoDetect=nvml finds; some sites call it gpu:{}.", mig_profile(recipe)));
  if (parts.gpu)
    parts.notes.push_back(
        "Sites name their GPUs as they like: `sinfo -o %G` shows what --gres may ask for.");
  if (parts.image.empty() && !parts.system.empty())
    parts.notes.push_back(fmt::format("The nodes must have Debian's packages {}.", fmt::join(parts.system, ", ")));
  text += "#\n" + recipe_head(recipe, parts, "Slurm batch script");
  const bool pi = parts.import_test.empty();
  if (pi) text += "# STACKX_PI: the directory of stackx-pi and python/ (kernels/ of the source tree has python/)\n";
  text += "set -euo pipefail\n";
  if (pi) text += ": \"${STACKX_PI:?the directory of stackx-pi and python/}\"\n";
  return text + (parts.image.empty() ? from_packages(parts, recipe) : from_image(parts, recipe));
}

}  // namespace stackx::advisor
