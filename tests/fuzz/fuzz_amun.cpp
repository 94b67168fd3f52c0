// Input: an Amun inspection specification.
#include "specs/thoth/amun.hpp"
#include "tests/fuzz/documents.hpp"

using namespace stackx::specs;
using namespace stackx::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = parse(data, size);
  if (!document) return 0;
  const auto read = attempt([&] { return parse_amun(*document); });
  if (!read) return 0;
  require(!read->base.empty() && read->batch_size > 0, "a specification has a base and a batch");
  for (const auto& file : read->files)
    require(file.path.starts_with("/") && file.path.find("..") != 0, "files are below the root");
  for (const auto& requests : {read->build, read->run}) {
    if (requests.cpus) require(*requests.cpus > 0, "a request is positive");
    if (requests.memory_bytes) require(*requests.memory_bytes > 0, "a request is positive");
  }
  for (const auto& [name, value] : read->environment)
    require(!name.empty() && name.find('=') == name.npos, "a variable has a name");
  if (const auto lock = attempt([&] { return read->lock("3.7"); }); lock && *lock)
    for (const auto& [package, list] : (*lock)->hashes)
      require((*lock)->components.contains(package) && !list.empty(), "hashes are of a package");
  return 0;
}
