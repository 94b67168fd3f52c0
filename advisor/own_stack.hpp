// What the user runs today (--lock) or must have (--project), in the words of the hardware's catalogs.
//
// The index sells some components under other names: tensorflow-gpu is tensorflow, nvidia-cudnn-cu12
// is cudnn. What the catalogs do not know at all does not bear on the hardware and is only named.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "specs/catalog/stack.hpp"
#include "specs/project/project.hpp"

namespace stackx::advisor {

struct OwnStack {
  std::filesystem::path file;
  specs::Stack named;                // the lock's versions of what the catalogs know
  std::vector<std::string> unknown;  // packages that they do not know
};

// The component that a package of the index is: "tensorflow-gpu" -> "tensorflow"; else its own name.
std::string component_of_package(const std::string& package);

// Without a Python: the lock's own, if it names one; extras and groups say which of several versions is meant. Throws as load_lock does.
OwnStack read_own_stack(const std::filesystem::path& lock, const specs::PythonContext& context,
                        const specs::Catalog& catalog);

// Makes what a Python project asks for roots of `project`; returns the packages that the catalogs do
// not know. Throws as read_python_project does.
std::vector<std::string> add_wishes(specs::Project& project, const specs::Catalog& catalog,
                                    const std::filesystem::path& file,
                                    const specs::PythonContext& context);

}  // namespace stackx::advisor
