// What somebody asks `check`, in their words, and the question that it makes.
//
//   requirements    as for pip: torch==2.4.0 "jax[cuda12]>=0.6"; driver==535.183.01 and python==3.11 are the machine's
//   files           what specs/python reads, and uv.lock, poetry.lock, conda's environment.yml; "-" is `pip freeze`
//   an environment  what its site-packages hold (DIST-INFO), on its Python
//   hardware        a GPU by any name that gpus.json knows; a CPU: no GPU is to be used; host: this machine (asked_machine.hpp)
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "advisor/check/check.hpp"
#include "pypi/index/index.hpp"
#include "workspace/context.hpp"

namespace stackx::specs {
class Accelerators;
struct PackageList;
struct PythonContext;
}

namespace stackx::advisor {

struct CheckRequest {
  std::vector<std::string> what;
  std::string hardware = "host", driver, python, platform;
  std::filesystem::path environment;
  std::vector<std::string> catalogs;
  std::set<std::string> extras = {}, groups = {};  // optional parts of the files to take in
  std::string index_url, extra_index_url;  // in place of the usual one, beside it: count where they are PyTorch's
  std::shared_ptr<const specs::Accelerators> accelerators = {};  // where they are read already
};

// Throws Error(bad_input) for files and words that nobody can read. With an index, what no catalog holds is looked up
// there (look_up.hpp).
Checked check(const CheckRequest& request, const workspace::Context& context, pypi::Index* index = nullptr);

// The same for each of these, in place of the request's hardware; what is asked is read once.
std::vector<Checked> check_each(const CheckRequest& request, const std::vector<std::string>& hardware, const workspace::Context& context,
                                pypi::Index* index = nullptr);

// What a file of this name holds, a pipe, or "-"; nothing where the word names none.
std::optional<specs::PackageList> list_in_file(const std::string& word, const specs::PythonContext& context);
specs::PythonContext context_of(const CheckRequest& request, const std::string& platform);

Knowledge load_knowledge(const workspace::Context& context, const std::vector<std::string>& overlays);
Question question_of(const CheckRequest& request, const Knowledge& knowledge, const workspace::Context& context);

}  // namespace stackx::advisor
