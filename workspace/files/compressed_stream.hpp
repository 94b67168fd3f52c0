// Lines of text in and out of files, packed or not: what documents travel in (JSON Lines, logs).
//
// Read: plain, gzip, xz, zstd (bzip2 and lzma too), told by
// the first bytes and not by the name; "-" is stdin. Everything is streamed: memory holds one line and
// two buffers. A file that is cut short or damaged gives its whole lines first and then ends with a
// failure that names the byte; a line above the limit is skipped without being kept, and named (one
// above 4 GiB ends it: /dev/zero through a pipe). What unpacks to more than 64 MiB and more than 1000 times its size
// ends so, too, and what is mostly blank lines, above a million: both keep a reader busy for the price of some bytes.
// gzip goes through zlib because libarchive does not verify its checksum. Written: zstd, gzip or xz by
// the name's ending, else plain. libarchive's zstd frames carry no checksum of their own; documents
// are verified by their ids.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/error.hpp"

namespace stackx::workspace {

inline constexpr std::uint64_t longest_line = 256ULL << 20;

class LineReader {
 public:
  // Throws as specs::InputFile does.
  explicit LineReader(const std::string& file, std::uint64_t limit = longest_line);
  // Of bytes at hand, which outlive it; `name` is for messages.
  LineReader(std::string_view bytes, const std::string& name, std::uint64_t limit);
  ~LineReader();

  // The next line without its newline; false at the end, or where the file cannot be read any further.
  // A line above the limit comes as "", so that lines keep their numbers, and is named in refused().
  bool next(std::string& line);
  // The first line that is not blank, which next() gives nevertheless (blank ones before it as ""); "" where there is
  // none. For who must know what a stream is before it is read: a pipe gives its bytes only once.
  const std::string& peek();

  const std::string& name() const;                  // the file, "stdin" for "-"
  std::uint64_t lines() const;                      // read so far
  const std::optional<Error>& failure() const;      // after next() was false: why it ended early
  const std::vector<std::string>& refused() const;  // one line each

 private:
  bool read(std::string& line);

  struct State;
  std::unique_ptr<State> state_;
};

// Lines as they come, packed as the name says, into an OutputFile. Throws Error(environment) where it cannot be written.
class LineWriter {
 public:
  explicit LineWriter(const std::string& file);
  ~LineWriter();
  void write(std::string_view line);  // a newline is added
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Text that is at hand, as one frame of zstd.
std::string packed(std::string_view text);

}  // namespace stackx::workspace
