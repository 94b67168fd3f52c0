// One stack as something to run: what `stackx advise --format NAME` prints.
//
//   requirements   requirements.txt of pip: every Python package pinned, with hashes if the catalog has all
//   pipfile        Pipfile of pipenv, the same
//   pylock         pylock.toml (PEP 751): files by name under wheels/, with hashes; refused where a file is not known
//   uv             pyproject.toml of a project without code: uv sync, uv lock
//   conda          environment.yml: Python of conda-forge, the packages by pip
//   containerfile  a Containerfile that ends in the PI with the workload's parameters
//   docker         one `docker run` of a stock image that installs the packages and runs the PI
//   sbatch         a Slurm batch script that installs or loads the stack and runs the PI
//   pod            a Kubernetes Pod that runs the image which the Containerfile makes
// Each begins with what it is, what it rests on, and which driver, CUDA and cuDNN it takes. Where stackx has no PI for
// what was asked, the last four import it and say what it sees. Names, versions and values come from catalogs and
// users: each writer quotes them as its readers want it, and refuses (bad_input) what its readers could not be told.
// Package indexes are not named, since tools know their own; but for PyTorch's, and PyPI's where a Pipfile must list it
// beside that.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/recipes/pinned.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/catalog/stack.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/project/workload.hpp"

namespace stackx::advisor {

enum class RecipeFormat { requirements, pipfile, pylock, uv, conda, containerfile, docker, sbatch, pod };
std::optional<RecipeFormat> recipe_format_from(std::string_view name);
std::vector<std::string> recipe_formats();

class Knowledge;

struct Recipe {
  const specs::Stack& stack;
  const specs::Workload& workload;
  const specs::Catalog& catalog;
  std::string hw;                                   // as asked: "v100"
  const specs::Accelerator* accelerator = nullptr;  // null: a CPU stack
  std::vector<std::string> evidence;                // lines: what the recommendation rests on
  std::set<std::string> roots = {};                 // components asked for; empty: all
  const Knowledge* knowledge = nullptr;  // of packages: pins what an installer would take too new; null: nobody asks
  std::string machine = {};              // of the processor, where one was named: "aarch64"
  // The answer, where it is Python packages: then these are what is written, and of the stack only its settings.
  const Pinned* pinned = nullptr;
};

// Throws Error(bad_input) where the format cannot say the stack, and names those that can.
std::string write_recipe(RecipeFormat format, const Recipe& recipe);

}  // namespace stackx::advisor
