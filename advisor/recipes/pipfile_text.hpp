// The text of a Pipfile, for a stack's lock (lock_writer.hpp) and its recipe (recipe.hpp).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "advisor/recipes/stack_packages.hpp"

namespace stackx::advisor {

// "==1.2.3", with extras or an index of PyTorch {"version", "extras", "index": "pytorch-cu126"}
nlohmann::json pipfile_pin(const StackPackage& package);
// {"python_version": "3.7"}; {} where the stack has no Python
nlohmann::json pipfile_requires(const specs::Stack& stack);

// `sources`: [{"name", "url", "verify_ssl"}], the first for packages that name none; []: pipenv takes its own.
// `packages`: name -> pin.
std::string pipfile_text(const nlohmann::json& sources, const nlohmann::json& packages,
                         const nlohmann::json& requires_);

}  // namespace stackx::advisor
