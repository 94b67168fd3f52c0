// Environment modules (Tcl modules, Lmod): what `module load` would put where, read off the module files.
//
// Read are the files below $MODULEPATH whose name speaks of something that stacks are made of (cuda, openblas,
// mkl, python, tensorflow, ...), Tcl (`#%Module`) and Lua alike, and in them only plain statements:
//   setenv CUDA_HOME $root        setenv("CUDA_HOME", pathJoin(root, "x"))
//   prepend-path PATH $root/bin   prepend_path("PATH", root .. "/bin")
//   set root /opt/cuda            local root = "/opt/cuda"
// A value that needs more than that (a function's, a variable of the environment) is passed over; what stands in a
// condition is read as if it held: paths are only places to look in. Rejected: running `module show`, which
// executes what the files hold, once for each of often thousands.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "inspector/discover/remark.hpp"
#include "inspector/machine/tree.hpp"

namespace stackx::inspector {

struct EnvironmentModule {
  std::string name;  // "cuda/12.2", as `module load` takes it
  std::string file;
  std::map<std::string, std::vector<std::string>> paths;  // variable -> absolute paths

  std::vector<std::string> of(const std::string& variable) const;
};

bool is_module_name(const std::string& name);  // one that is read

// One module file; what is none gives a module without paths.
EnvironmentModule read_module(std::string name, std::string file, const std::string& text);

// Those below the directories of `module_path` ("a:b"), sorted by name.
std::vector<EnvironmentModule> find_modules(const Tree& tree, const std::string& module_path,
                                            const Remarks& remarks);

}  // namespace stackx::inspector
