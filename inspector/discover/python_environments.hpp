// Installed Python environments with frameworks: an interpreter, its site-packages, and which frameworks they hold.
//
// The interpreter says where its site-packages are (-E -s: without $PYTHONPATH and the user's own); what they hold
// is read from *.dist-info/METADATA, *.egg-info/PKG-INFO and *.egg-info, as importlib.metadata does: of two
// distributions of one name the first on the path counts. Nothing is imported. Rejected: `pip list` (not every
// environment has pip, and it takes half a second each).
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inspector/discover/remark.hpp"
#include "inspector/python/interpreters.hpp"

namespace stackx::inspector {

struct Distribution {
  std::string name, version;  // name normalised (PEP 503)
  std::filesystem::path metadata;
};

struct PythonEnvironment {
  std::string name;  // "python3.11-usr", "python3.9-venvs-tf": unique and the same on every run
  Interpreter interpreter;
  std::vector<std::filesystem::path>
      sites;  // directories that packages are imported from, in order
  std::map<std::string, Distribution> distributions;
  std::vector<std::string>
      frameworks;  // distributions that PIs can measure: "numpy", "tensorflow-cpu"
};

// What `framework=` calls a distribution: "tensorflow" for tensorflow-cpu; nothing for what is none. jaxlib is a
// part of jax.
std::optional<std::string> framework_of(const std::string& distribution);

// The directories, as the interpreter says; none if it does not answer.
std::vector<std::filesystem::path> ask_sites(const Interpreter& interpreter);

std::map<std::string, Distribution> distributions_in(
    const std::vector<std::filesystem::path>& sites);

// All of them, also those without frameworks (they may hold BLAS libraries).
std::vector<PythonEnvironment> look_into(const std::vector<Interpreter>& interpreters,
                                         const Remarks& remarks);

// Virtual environments in the usual places: $VIRTUAL_ENV, ./.venv, ./venv, ~/.venv, ~/venv, ~/.virtualenvs/*,
// ~/venvs/*, ~/envs/*, those of pipenv and poetry.
std::vector<std::filesystem::path> usual_virtual_environments();

}  // namespace stackx::inspector
