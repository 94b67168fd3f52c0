// What the writers of recipes (recipe.hpp) share: the parts of a stack by what they are, and what is said of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "advisor/recipes/recipe.hpp"
#include "advisor/recipes/stack_packages.hpp"

namespace stackx::advisor {

struct RecipeParts {
  explicit RecipeParts(const Recipe& recipe);  // throws Error(bad_input)

  StackPackages packages;                         // names and versions are fit for Python's tools
  std::map<std::string, std::string> variables;   // exported into the run
  std::map<std::string, std::string> parameters;  // of the PI: the workload's and those of settings
  std::string python, driver, cuda, cudnn;        // versions; "" if the stack has none
  std::string driver_range;                       // what the stack asks of the driver: ">=418"
  bool ngc = false;  // the packages are those of NVIDIA's container
  std::string image;  // OCI reference of an image that holds the stack; "" for none
  std::string library,
      library_component;  // what a native PI loads, below the packages' directory or absolute
  std::vector<std::string> partners;  // the stack's other libraries, likewise: cudart, NVRTC
  std::vector<std::string> system;  // Debian packages
  std::vector<std::string> notes;   // what whoever installs it must know

  void add_library(const std::string& component, const specs::VersionEntry& entry,
                   const std::string& file);

  // Every package has a file with its hash, and there are no others: catalogs of GPU frameworks list no dependencies.
  bool hashed() const;
  // The PI with its parameters. `site`: where the packages are ("-": the interpreter's own); `pis`: where stackx-pi or
  // the directory python/ is.
  std::vector<std::string> command(const Recipe& recipe, const std::string& program,
                                   const std::string& site, const std::string& pis) const;
};

// The workload's parameters that stackx's PI of that name takes; a framework on a GPU is told device=gpu, while stackx-pi
// knows the device by the library. Published shapes have more (suite, padded): those are named in `left_out`. Of
// workloads without a PI all parameters stay.
enum class PiKind { framework, framework_on_gpu, native };
std::map<std::string, std::string> pi_parameters(const specs::Workload& workload, PiKind kind,
                                                 std::vector<std::string>& left_out);
// stackx brings one; of those for frameworks only some are native.
bool has_pi(const std::string& name, PiKind kind = PiKind::framework);
// What a stack of GPU libraries without a framework needs where the catalogs know no wheels of it; empty if they do.
std::string where_libraries_are(const specs::Stack& stack, const specs::Catalog& catalog);

// Comment lines, each after `prefix`: what it is, the stack, the evidence, what it needs, the notes.
std::string recipe_head(const Recipe& recipe, const RecipeParts& parts, const std::string& what,
                        const std::string& prefix = "# ");

std::string one_line(std::string_view text);            // control characters become spaces; UTF-8
std::string shell_quoted(
    const std::string& text);  // 'it'\''s': one word for sh and bash, bare where it may be
bool has_control(const std::string& text);

// One writer a format.
std::string requirements_recipe(const Recipe& recipe);
std::string pipfile_recipe(const Recipe& recipe);
std::string pylock_recipe(const Recipe& recipe);
std::string containerfile_recipe(const Recipe& recipe);
std::string sbatch_recipe(const Recipe& recipe);
std::string pod_recipe(const Recipe& recipe);

}  // namespace stackx::advisor
