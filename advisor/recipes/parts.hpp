// What the writers of recipes (recipe.hpp) share: the parts of a stack by what they are, and what is said of it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "advisor/recipes/quoting.hpp"
#include "advisor/recipes/recipe.hpp"
#include "advisor/recipes/stack_packages.hpp"

namespace stackx::advisor {

// Either kind of recommendation, a stack of the catalogs or the Python packages of an answer (Recipe::pinned), in the
// one form that all writers use: none of them asks which it was.
struct RecipeParts {
  explicit RecipeParts(const Recipe& recipe);  // throws Error(bad_input)

  specs::Stack brought;                           // whose files and settings the catalogs know
  bool by_name = false;                           // pip finds the packages, for an image of their Python
  specs::Stack named;                             // what the head lists, and whose id names files, jobs and images
  StackPackages packages;                         // names and versions are fit for Python's tools
  std::set<specs::BuildIndex> indexes;            // beside the one that pip knows
  std::vector<std::string> besides;               // requirements of the PI, not of the stack: "numpy"
  std::map<std::string, std::string> variables;   // exported into the run
  std::map<std::string, std::string> parameters;  // of the PI: the workload's and those of settings
  std::string import_test;                        // what runs where there is no PI: a program for `python -c`
  std::string python, driver, cuda, cudnn;        // versions; "" if the stack has none
  std::vector<std::string> other_pythons;         // on which the same holds
  SystemLibraries system_libraries;               // besides CUDA and cuDNN: {"rocm": "7.2.3"}
  std::string driver_range;                       // what the stack asks of the driver: ">=418"
  std::string glibc;                              // that the packages need; "": not known
  bool gpu = false;
  bool ngc = false;                               // the packages are those of NVIDIA's container
  std::string image;                              // OCI reference of an image that holds the stack; "" for none
  std::string library, library_component;         // what a native PI loads, below the packages' directory or absolute
  std::vector<std::string> partners;              // the stack's other libraries, likewise: cudart, NVRTC
  std::vector<std::string> system;                // Debian packages
  std::vector<std::string> notes;                 // what whoever installs it must know

  // Every package has a file with its hash, and there are no others: of GPU frameworks catalogs list no dependencies.
  bool hashed() const;
  // What follows `pip install`: indexes, packages and what the PI needs besides, without hashes.
  std::vector<std::string> pip_words() const;
  // Where the native PI's libraries are below the packages' directory: "/nvidia/cublas/lib", "".
  std::set<std::string> library_directories() const;
  // The PI with its parameters, or the import test. `site`: where the packages are ("-": the interpreter's own); `pis`:
  // where stackx-pi or the directory python/ is.
  std::vector<std::string> command(const Recipe& recipe, const std::string& program, const std::string& site,
                                   const std::string& pis) const;

 private:
  void from_stack(const Recipe& recipe);
  void from_pinned(const Recipe& recipe);
  void find_brought_builds();
  void read(const std::string& component, const specs::VersionEntry& entry);
  void add_library(const std::string& component, const specs::VersionEntry& entry, const std::string& file);
};

// A framework that stackx's PIs for frameworks measure was asked for; what they need besides it: NumPy, which torch
// does not bring. Of answers without one, what imports them and says what they see.
bool has_framework(const StackPackages& packages);
bool is_for_intel(const StackPackages& packages);  // torch 2.14.1+xpu: stackx's PIs do not know its device
std::vector<std::string> wanted_by_pi(const StackPackages& packages);
std::string import_test_of(const StackPackages& packages);
// What a stack of GPU libraries without a framework needs where the catalogs know no wheels of it; empty if they do.
std::string where_libraries_are(const specs::Stack& stack, const specs::Catalog& catalog);

// Comment lines, each after `prefix`: what it is, the stack, the evidence, what it needs, the notes.
std::string recipe_head(const Recipe& recipe, const RecipeParts& parts, const std::string& what,
                        const std::string& prefix = "# ");

// For formats of Python's tools: refuses what holds no package; the settings as comments.
void require_packages(const RecipeParts& parts, const char* format);
std::string exports(const RecipeParts& parts);

// One writer a format.
std::string requirements_recipe(const Recipe& recipe);
std::string pipfile_recipe(const Recipe& recipe);
std::string pylock_recipe(const Recipe& recipe);
std::string uv_recipe(const Recipe& recipe);
std::string conda_recipe(const Recipe& recipe);
std::string containerfile_recipe(const Recipe& recipe);
std::string docker_recipe(const Recipe& recipe);
std::string sbatch_recipe(const Recipe& recipe);
std::string pod_recipe(const Recipe& recipe);

}  // namespace stackx::advisor
