// Writing.
#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <cerrno>

#include "specs/format/output_file.hpp"
#include "workspace/files/compressed_stream.hpp"
#include "workspace/output.hpp"

namespace stackx::workspace {
namespace {

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
  explicit State(const std::string& file) : out(file), to_stdout(file.empty() || file == "-") {
    if (const auto filter = filter_of(file)) pack(filter);
  }
  ~State() {
    if (packed) archive_write_free(packed);
    archive_entry_free(entry);
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

  // libarchive's C knows no exceptions: what went wrong is thrown behind it.
  static la_ssize_t write_packed(archive* handle, void* self, const void* bytes, std::size_t size) {
    auto& state = *static_cast<State*>(self);
    try {
      state.out.write({static_cast<const char*>(bytes), size});
      return static_cast<la_ssize_t>(size);
    } catch (const Error& error) {
      state.failure = error;
      archive_set_error(handle, EIO, "%s", error.what());
      return -1;
    }
  }

  void put(std::string_view left) {
    while (!left.empty()) {
      const la_ssize_t n = archive_write_data(packed, left.data(), left.size());
      if (n <= 0) fail_packing();
      left.remove_prefix(static_cast<std::size_t>(n));
    }
  }

  void flush() {
    if (packed)
      put(buffer);
    else if (to_stdout)
      write_documents(buffer);
    else
      out.write(buffer);
    buffer.clear();
  }

  [[noreturn]] void fail_packing() const {
    if (failure) throw *failure;
    throw broken_environment(fmt::format("packing failed: {}", archive_error_string(packed)));
  }

  specs::OutputFile out;
  bool to_stdout;
  std::string buffer;
  archive* packed = nullptr;
  archive_entry* entry = nullptr;
  std::optional<Error> failure;
};

LineWriter::LineWriter(const std::string& file) : state_(std::make_unique<State>(file)) {}
LineWriter::~LineWriter() = default;

void LineWriter::write(std::string_view line) {
  state_->buffer += line;
  state_->buffer += '\n';
  if (state_->buffer.size() >= packed_at_once) state_->flush();
}

void LineWriter::finish() {
  State& s = *state_;
  s.flush();
  if (s.packed && (archive_write_finish_entry(s.packed) != ARCHIVE_OK || archive_write_close(s.packed) != ARCHIVE_OK))
    s.fail_packing();
  s.out.finish();
}

std::string packed(std::string_view text) {
  const auto append = [](archive*, void* result, const void* bytes, std::size_t size) -> la_ssize_t {
    static_cast<std::string*>(result)->append(static_cast<const char*>(bytes), size);
    return static_cast<la_ssize_t>(size);
  };
  std::string result;
  const std::unique_ptr<archive, decltype(&archive_write_free)> writer(archive_write_new(), archive_write_free);
  const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(), archive_entry_free);
  archive_write_set_format_raw(writer.get());
  archive_write_add_filter_zstd(writer.get());
  archive_write_set_bytes_in_last_block(writer.get(), 1);
  archive_entry_set_pathname(entry.get(), "documents");
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  const bool good = archive_write_open(writer.get(), &result, nullptr, append, nullptr) == ARCHIVE_OK &&
                    archive_write_header(writer.get(), entry.get()) == ARCHIVE_OK &&
                    archive_write_data(writer.get(), text.data(), text.size()) == static_cast<la_ssize_t>(text.size()) &&
                    archive_write_close(writer.get()) == ARCHIVE_OK;
  if (!good) throw broken_environment(fmt::format("packing failed: {}", archive_error_string(writer.get())));
  return result;
}

}  // namespace stackx::workspace
