// Input: a requirements file that names no further files.
#include "specs/python/requirements_txt.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx::specs;
using namespace stackx::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto project = attempt([&] { return parse_requirements_txt(text, "r.txt"); });
  if (!project) return 0;
  require(project->constraints.empty(), "constraints stand in another file");
  std::string written;
  for (const auto& one : project->dependencies) {
    require(one.place.starts_with("r.txt:"), "a requirement has a place");
    require(one.dependency.url.empty(), "URLs are refused");
    written += one.dependency.text() + "\n";
  }
  // A marker may hold a text with " #" or " -", which here ends a requirement, a version end with a backslash, which does not.
  for (const char* special : {" #", " -", "\\\n"})
    if (written.find(special) != written.npos) return 0;
  const auto again = attempt([&] { return parse_requirements_txt(written, "w.txt"); });
  require(again && again->dependencies.size() == project->dependencies.size(),
          "what was read can be written and read");
  for (std::size_t i = 0; i < again->dependencies.size(); ++i)
    require(again->dependencies[i].dependency.text() == project->dependencies[i].dependency.text(),
            "what was read can be written and read");
  return 0;
}
