// Input: the media type on the first line, then an index's page of a project. Both its kinds end in files with absolute
// URLs, or in an Error that says what is wrong with the index.
#include "pypi/index/listing.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "tests/fuzz/lines.hpp"

using namespace stackx;
using stackx::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line = text.substr(0, text.find('\n'));
  const std::string body(text.substr(std::min(line.size() + 1, size)));
  try {
    for (const auto& file :
         pypi::parse_listing(body, std::string(line), "https://h/simple/a/").files) {
      require(file.fault.empty() ? file.url.find("://") != file.url.npos : specs::to_utf8(file.fault) == file.fault,
              "links are absolute, or their fault is told");
      for (const auto* kept : {&file.name, &file.uploaded, &file.requires_python})
        require(specs::to_utf8(*kept) == *kept, "what is kept is UTF-8");
    }
  } catch (const Error& error) {
    require(error.code() == ErrorCode::environment && *error.what() != '\0',
            "the index is to blame");
  }
  return 0;
}
