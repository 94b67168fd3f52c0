// One stack as something to run: what `stackx advise --format NAME` prints.
//
//   requirements   requirements.txt of pip: every Python package pinned, with hashes if the catalog has all
//   pipfile        Pipfile of pipenv, the same
//   pylock         pylock.toml (PEP 751): files by name under wheels/, with hashes; refused where a file is not known
//   containerfile  a Containerfile that ends in the PI with the workload's parameters
//   sbatch         a Slurm batch script that installs or loads the stack and runs the PI
//   pod            a Kubernetes Pod that runs the image which the Containerfile makes
// Each begins with what it is, what it rests on, and which driver, CUDA and cuDNN it takes. Names, versions and values
// come from catalogs and users: each writer quotes them as its readers want it, and refuses (bad_input) what its
// readers could not be told. Hosts of package indexes are never named: tools know their own.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "specs/catalog/catalog.hpp"
#include "specs/catalog/stack.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/project/workload.hpp"

namespace stackx::advisor {

enum class RecipeFormat { requirements, pipfile, pylock, containerfile, sbatch, pod };
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
};

// Throws Error(bad_input) where the format cannot say the stack, and names those that can.
std::string write_recipe(RecipeFormat format, const Recipe& recipe);

}  // namespace stackx::advisor
