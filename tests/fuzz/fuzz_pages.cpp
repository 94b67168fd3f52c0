// Input: the bytes of a damaged SQLite file. Whatever they are, reading ends, and nothing outside of
// the file is touched.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "specs/error.hpp"
#include "store/mending/pages.hpp"

using namespace stackx::store;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = ::memfd_create("pages", 0);
  if (file < 0 || ::write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
  std::size_t records = 0;
  const auto count = [&](const Record& record) { records += record.values.size() < 32768; };
  try {
    PageFile pages("/proc/self/fd/" + std::to_string(file));
    for (const auto& [name, root] : pages.roots()) pages.walk(root, count);
    pages.rest(count);
    // A cell takes a pointer of 2 bytes, each page is read once.
    if (records > size / 2) std::abort();
  } catch (const stackx::Error&) {  // smaller than a page
  }
  ::close(file);
  return 0;
}
