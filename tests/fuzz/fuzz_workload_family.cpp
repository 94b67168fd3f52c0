// Input: a file of workload families. What is accepted can be asked for by name, and says where its
// stacks are to be sought and what each parameter means.
#include "specs/project/workload_family.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx::specs;
using namespace stackx::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = parse(data, size);
  if (!document) return 0;
  const auto families = attempt([&] { return WorkloadFamilies::parse(*document); });
  if (!families) return 0;
  for (const WorkloadFamily& family : families->all()) {
    require(families->find(family.name) == &family, "a family has a name of its own");
    require(!families->nearest(family.name).empty(), "a name is near to itself");
    require(families->called(family.name).front().pi == family.name || families->called(family.name).size() > 1,
            "a name calls itself, but for one that differs in case alone");
    for (const std::string& alias : families->aliases(family.name))
      for (const Workload& one : families->called(alias)) require(families->find(one.pi) != nullptr,
                                                                  "an alias is of a family");
    for (const auto& [param, values] : family.values)
      for (const std::string& word : values.names())
        require(values.canonical(word) == word, "a word of a parameter is itself");
    require(family.gpu.empty() == (families->gpu_space(family) == nullptr), "a named space exists");
    for (const auto& [name, meaning] : family.params)
      require(!meaning.empty(), "a parameter has a meaning");
  }
  return 0;
}
