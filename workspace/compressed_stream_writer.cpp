// Writing.
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "workspace/compressed_stream.hpp"
#include "workspace/output.hpp"

namespace stackx::workspace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t packed_at_once = 256 << 10;

// What libarchive adds for this name; null: plain.
int (*filter_of(const std::string& file))(archive*) {
  if (file.ends_with(".zst")) return archive_write_add_filter_zstd;
  if (file.ends_with(".gz")) return archive_write_add_filter_gzip;
  if (file.ends_with(".xz")) return archive_write_add_filter_xz;
  return nullptr;
}

}  // namespace

struct LineWriter::State {
  explicit State(const std::string& output) : file(output == "-" ? "" : output) {}

  void open() {
    if (file.empty()) return;
    std::error_code ignored;
    const bool device = fs::exists(file, ignored) && !fs::is_regular_file(file, ignored);
    if (!device) part = file + ".part";  // /dev/null or a pipe is written as it is, never replaced
    descriptor = ::open(device ? file.c_str() : part.c_str(),
                        O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) fail("cannot be made", errno);
    if (const auto filter = filter_of(file)) pack(filter);
  }
  ~State() {
    if (packed) archive_write_free(packed);
    archive_entry_free(entry);
    if (descriptor >= 0) ::close(descriptor);
    if (!part.empty()) ::unlink(part.c_str());
  }

  void pack(int (*filter)(archive*)) {
    packed = archive_write_new();
    archive_write_set_format_raw(packed);
    filter(packed);
    archive_write_set_bytes_in_last_block(packed, 1);  // no padding behind the last frame
    entry = archive_entry_new();
    archive_entry_set_pathname(entry, "documents");
    archive_entry_set_filetype(entry, AE_IFREG);
    if (archive_write_open(packed, this, nullptr, write_packed, nullptr) != ARCHIVE_OK ||
        archive_write_header(packed, entry) != ARCHIVE_OK)
      fail_packing();
  }

  static la_ssize_t write_packed(archive* handle, void* self, const void* bytes, std::size_t size) {
    if (static_cast<State*>(self)->put(static_cast<const char*>(bytes), size))
      return static_cast<la_ssize_t>(size);
    archive_set_error(handle, errno, "%s", std::strerror(errno));
    return -1;
  }

  bool put(const char* bytes, std::size_t size) {
    while (size > 0) {
      const ssize_t n = ::write(descriptor, bytes, size);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return false;
      bytes += n;
      size -= static_cast<std::size_t>(n);
    }
    return true;
  }

  void flush() {
    if (packed) {
      for (std::string_view left = buffer; !left.empty();) {
        const la_ssize_t n = archive_write_data(packed, left.data(), left.size());
        if (n <= 0) fail_packing();
        left.remove_prefix(static_cast<std::size_t>(n));
      }
    } else if (file.empty()) {
      write_documents(buffer);
    } else if (!put(buffer.data(), buffer.size())) {
      fail("cannot be written", errno);
    }
    buffer.clear();
  }

  [[noreturn]] void fail(const char* doing, int code) const {
    throw broken_environment(
        fmt::format("{}: {}: {}; make room or name another file with -o", file, doing, std::strerror(code)));
  }
  [[noreturn]] void fail_packing() const { fail("cannot be written", archive_errno(packed)); }

  std::string file, part, buffer;
  int descriptor = -1;
  archive* packed = nullptr;
  archive_entry* entry = nullptr;
};

LineWriter::LineWriter(const std::string& file) : state_(std::make_unique<State>(file)) {
  state_->open();
}
LineWriter::~LineWriter() = default;

void LineWriter::write(std::string_view line) {
  state_->buffer += line;
  state_->buffer += '\n';
  if (state_->buffer.size() >= packed_at_once) state_->flush();
}

void LineWriter::finish() {
  State& s = *state_;
  s.flush();
  if (s.packed && (archive_write_finish_entry(s.packed) != ARCHIVE_OK ||
                   archive_write_close(s.packed) != ARCHIVE_OK))
    s.fail_packing();
  if (s.part.empty()) return;
  if (::fsync(s.descriptor) != 0) s.fail("cannot be synced to disk", errno);
  if (::rename(s.part.c_str(), s.file.c_str()) != 0) s.fail("cannot be put in place", errno);
  s.part.clear();
  const fs::path directory = fs::absolute(s.file).parent_path();  // the rename is durable with it
  if (const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); fd >= 0) {
    ::fsync(fd);
    ::close(fd);
  }
}

}  // namespace stackx::workspace
