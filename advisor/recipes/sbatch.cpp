// The recipe as a Slurm batch script: the image under Apptainer, or the packages in a virtual environment of the job.
#include <fmt/format.h>

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

// Bash takes what stands here as it is: no line of requirements can be the delimiter, which is no package's name.
std::string here_document(const std::string& text) {
  return "<<'END OF REQUIREMENTS'\n" + text + "END OF REQUIREMENTS\n";
}

std::string pins(const RecipeParts& parts) {
  std::string text;
  for (const auto& [name, package] : parts.packages) {
    text += fmt::format(
        "{}{}=={}", name,
        package.extras.empty() ? "" : fmt::format("[{}]", fmt::join(package.extras, ",")),
        package.version);
    if (parts.hashed())
      for (const auto& hash : package.hashes()) text += " --hash=" + hash;
    text += "\n";
  }
  return text;
}

std::string from_image(const RecipeParts& parts, const Recipe& recipe) {
  std::vector<std::string> words = {"apptainer", "exec"};
  if (recipe.accelerator != nullptr) words.emplace_back("--nv");
  std::string text = command_line(words) + " --bind \"$STACKX_PI/python:/opt/stackx/python:ro\" " +
                     shell_quoted("docker://" + parts.image) + " \\\n  ";
  return text + command_line(parts.command(recipe, "python3", "-", "/opt/stackx")) + "\n";
}

std::string from_packages(const RecipeParts& parts, const Recipe& recipe) {
  const bool native = parts.python.empty();
  std::string text = "work=$(mktemp -d)\ntrap 'rm -rf \"$work\"' EXIT\nsite=$work/site\n";
  if (!native) check_python_version("python", specs::minor_release(parts.python));
  const bool install = !parts.packages.empty();
  if (install || !native)
    text += fmt::format("python=${{STACKX_PYTHON:-python{}}}\n",
                        native ? "3" : specs::minor_release(parts.python));
  text += install ? "cat > \"$work/requirements.txt\" " + here_document(pins(parts))
                  : "mkdir \"$site\"\n";
  if (install)
    text += fmt::format(
        "\"$python\" -m venv \"$work/venv\"\n\"$work/venv/bin/python\" -m pip install --quiet {}"
        "--target \"$site\" -r \"$work/requirements.txt\"\n",
        parts.hashed() ? "--require-hashes --no-deps " : "");
  if (native && !parts.library.empty() && parts.library.front() != '/') {
    const auto slash = parts.library.rfind('/');
    text += "export LD_LIBRARY_PATH=\"$site\"" +
            (slash == std::string::npos ? "" : shell_quoted("/" + parts.library.substr(0, slash))) +
            "\"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"\n";
  }
  return text + pi_line(parts, recipe, "@python@", "@site@", "@pi@") + "\n";
}

}  // namespace

std::string sbatch_recipe(const Recipe& recipe) {
  RecipeParts parts(recipe);
  std::string text = "#!/usr/bin/env bash\n";
  text += fmt::format("#SBATCH --job-name={}\n", job_name(recipe));
  if (recipe.accelerator != nullptr) {
    const auto type = gres_type(recipe);
    text += fmt::format("#SBATCH --gres=gpu:{}1\n", type.empty() ? "" : type + ":");
  }
  text += fmt::format("#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task={}\n",
                      threads(recipe));
  text += "#SBATCH --time=00:30:00\n#SBATCH --output=%x-%j.out\n";
  if (recipe.accelerator != nullptr)
    parts.notes.push_back(
        "Sites name their GPUs as they like: `sinfo -o %G` shows what --gres may ask for.");
  text += "#\n" + recipe_head(recipe, parts, "Slurm batch script");
  text +=
      "# STACKX_PI: the directory of stackx-pi and python/ (kernels/ of the source tree has "
      "python/)\n";
  text += "set -euo pipefail\n: \"${STACKX_PI:?the directory of stackx-pi and python/}\"\n";
  for (const auto& [name, value] : parts.variables)
    text += "export " + name + "=" + shell_quoted(value) + "\n";
  return text + (parts.image.empty() ? from_packages(parts, recipe) : from_image(parts, recipe));
}

}  // namespace stackx::advisor
