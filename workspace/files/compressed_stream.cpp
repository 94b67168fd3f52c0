// Reading.
#include "workspace/files/compressed_stream.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <utility>

#include "specs/format/input_file.hpp"

namespace stackx::workspace {
namespace {

constexpr std::size_t buffer_size = 256 << 10;
constexpr std::uint64_t endless_line = 4ULL << 30;  // what comes from a pipe may have no end

// Documents unpack to some 50 times their size; what is made to keep a reader busy to 30,000 times (zstd).
constexpr std::uint64_t harmless_size = 64ULL << 20, most_times = 1000;

// Blank lines take time as others do, and no room where they are packed. Between documents there may be some.
constexpr std::uint64_t harmless_blanks = 1'000'000, most_blanks_a_line = 10;

// Why bytes stopped coming; the reader adds the file and the place.
struct Damage {
  ErrorCode code;
  std::string why;
  const char* what_to_do =
      "get the file again from where it came, then repeat this: what is there already is not stored twice";
};
constexpr const char* do_without = "what follows is not read: no honest export looks like this; leave the file out";

// The bytes as they lie in the file, or in memory.
class Input {
 public:
  explicit Input(const std::string& file) { file_.emplace(file, "a file of JSON Lines", true); }
  explicit Input(std::string_view bytes) : bytes_(bytes) {}

  // What comes next, at most a buffer; empty at the end. Valid until the next call.
  std::string_view chunk() {
    if (peeked_ > 0) return {buffer_.data(), std::exchange(peeked_, 0)};
    const std::size_t got = read(0);
    offset_ += got;
    return {buffer_.data(), got};
  }

  // The first bytes, which chunk() will give again.
  std::string_view peek(std::size_t count) {
    while (peeked_ < count) {
      const std::size_t got = read(peeked_);
      if (got == 0) break;
      offset_ += got;
      peeked_ += got;
    }
    return {buffer_.data(), peeked_};
  }

  std::uint64_t offset() const { return offset_; }  // behind the last chunk

 private:
  std::size_t read(std::size_t at) {
    if (!file_) {
      const std::size_t got = bytes_.copy(buffer_.data() + at, buffer_.size() - at);
      bytes_.remove_prefix(got);
      return got;
    }
    try {
      return file_->read(buffer_.data() + at, buffer_.size() - at);
    } catch (const Error& error) {
      throw Damage{error.code(), error.what()};
    }
  }

  std::optional<specs::InputFile> file_;
  std::string_view bytes_;  // where there is no file: those to come
  std::array<char, buffer_size> buffer_;
  std::size_t peeked_ = 0;
  std::uint64_t offset_ = 0;
};

// Text out of packed bytes. chunk() throws Damage.
class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual std::string_view chunk() = 0;      // empty at the end
  virtual std::uint64_t offset() const = 0;  // in the packed file
};

class Plain : public Decoder {
 public:
  explicit Plain(Input& input) : input_(input) {}
  std::string_view chunk() override { return input_.chunk(); }
  std::uint64_t offset() const override { return input_.offset(); }

 private:
  Input& input_;
};

class Gzip : public Decoder {
 public:
  explicit Gzip(Input& input) : input_(input) {
    if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() override { inflateEnd(&stream_); }

  std::string_view chunk() override {
    stream_.next_out = reinterpret_cast<Bytef*>(text_.data());
    stream_.avail_out = static_cast<uInt>(text_.size());
    while (stream_.avail_out == text_.size() && !ended_) {
      if (damage_) throw *damage_;
      unpack();
    }
    return {text_.data(), text_.size() - stream_.avail_out};
  }
  std::uint64_t offset() const override { return input_.offset() - stream_.avail_in; }

 private:
  // What was unpacked before damage is given first.
  void unpack() {
    if (stream_.avail_in == 0 && !refill()) {
      ended_ = between_members_;
      if (!ended_) damage_ = {ErrorCode::bad_input, "the gzip data is cut short"};
      return;
    }
    between_members_ = false;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {  // another member may follow
      between_members_ = true;
      inflateReset(&stream_);
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      damage_ = {ErrorCode::bad_input,
                 fmt::format("the gzip data is damaged ({})", stream_.msg ? stream_.msg : "zlib")};
    }
  }

  bool refill() {
    const std::string_view bytes = input_.chunk();
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    return !bytes.empty();
  }

  Input& input_;
  z_stream stream_{};
  bool between_members_ = false, ended_ = false;
  std::optional<Damage> damage_;
  std::array<char, buffer_size> text_;
};

class Libarchive : public Decoder {
 public:
  explicit Libarchive(Input& input) : input_(input), archive_(archive_read_new()) {
    // Not all filters: some would start a program.
    for (const auto filter : {archive_read_support_filter_zstd, archive_read_support_filter_xz,
                              archive_read_support_filter_bzip2, archive_read_support_filter_lzma})
      filter(archive_);
    archive_read_support_format_raw(archive_);
    archive_read_support_format_empty(archive_);
    archive_entry* entry = nullptr;
    int code = archive_read_open(archive_, this, nullptr, read, nullptr);
    if (code == ARCHIVE_OK) code = archive_read_next_header(archive_, &entry);
    if (code == ARCHIVE_EOF)
      empty_ = true;
    else if (code != ARCHIVE_OK)
      opening_ = error();
  }
  ~Libarchive() override { archive_read_free(archive_); }

  // A block at a time: archive_read_data would forget a whole one before a damaged one.
  std::string_view chunk() override {
    if (opening_) throw *opening_;
    const void* bytes = nullptr;
    std::size_t size = 0;
    la_int64_t at = 0;
    while (size == 0 && !empty_) {
      const int code = archive_read_data_block(archive_, &bytes, &size, &at);
      if (code == ARCHIVE_EOF) return {};
      if (code != ARCHIVE_OK) throw error();
    }
    return {static_cast<const char*>(bytes), size};
  }
  std::uint64_t offset() const override {
    return static_cast<std::uint64_t>(std::max<la_int64_t>(0, archive_filter_bytes(archive_, -1)));
  }

 private:
  static la_ssize_t read(archive* handle, void* self, const void** bytes) {
    auto& decoder = *static_cast<Libarchive*>(self);
    try {
      const std::string_view chunk = decoder.input_.chunk();
      *bytes = chunk.data();
      return static_cast<la_ssize_t>(chunk.size());
    } catch (const Damage& damage) {
      decoder.unreadable_ = damage;
      archive_set_error(handle, EIO, "%s", damage.why.c_str());
      return -1;
    }
  }
  Damage error() const {
    if (unreadable_) return *unreadable_;
    const char* why = archive_error_string(archive_);
    return {ErrorCode::bad_input,
            fmt::format("the packed data is damaged or cut short ({})", why ? why : "libarchive")};
  }

  Input& input_;
  archive* archive_;
  std::optional<Damage> opening_, unreadable_;
  bool empty_ = false;
};

std::unique_ptr<Decoder> decoder_for(Input& input) {
  using namespace std::string_view_literals;
  const std::string_view head = input.peek(6);
  if (head.starts_with("\x1f\x8b"sv)) return std::make_unique<Gzip>(input);
  for (const std::string_view magic : {"\x28\xb5\x2f\xfd"sv,
                                       "\xfd"
                                       "7zXZ\0"sv,
                                       "BZh"sv, "\x5d\0\0"sv})
    if (head.starts_with(magic)) return std::make_unique<Libarchive>(input);
  return std::make_unique<Plain>(input);
}

}  // namespace

struct LineReader::State {
  State(const std::string& file, std::uint64_t limit)
      : name(file == "-" ? "stdin" : file), limit(limit), input(file) {}
  State(std::string_view bytes, const std::string& name, std::uint64_t limit) : name(name), limit(limit), input(bytes) {}

  // Appends to `line` unless it grows above the limit; then it is not kept.
  void append(std::string& line, std::string_view text) {
    if (too_long || line.size() + text.size() > limit) {
      too_long = true;
      skipped += line.size() + text.size();
      if (skipped > endless_line)
        throw Damage{ErrorCode::bad_input, fmt::format("a line without an end, {} GiB so far", endless_line >> 30)};
      std::string().swap(line);  // gives its memory back
    } else {
      line += text;
    }
  }

  std::string_view unpack() {
    const auto chunk = decoder->chunk();
    unpacked += chunk.size();
    if (unpacked > harmless_size && unpacked / most_times > decoder->offset())
      throw Damage{ErrorCode::bad_input, fmt::format("it unpacks to more than {} times its size", most_times),
                   do_without};
    return chunk;
  }

  void count_blank(const std::string& line) {
    if (line.find_first_not_of(" \t\r") != line.npos) return;
    ++blank;
    if (blank > harmless_blanks && blank / most_blanks_a_line > lines - blank)
      throw Damage{ErrorCode::bad_input, fmt::format("{} blank lines so far, expected one document a line", blank),
                   do_without};
  }

  void end_line() {
    ++lines;
    skipped = 0;
    if (std::exchange(too_long, false))
      refused.push_back(fmt::format(
          "{}:{}: a line longer than {} MiB; it was skipped, expected one document a line", name,
          lines, limit >> 20));
  }

  std::string name;
  std::uint64_t limit, lines = 0, blank = 0, skipped = 0, unpacked = 0;
  Input input;
  std::unique_ptr<Decoder> decoder;
  std::string_view rest;  // of the decoder's last chunk
  bool too_long = false, ended = false;
  std::uint64_t blank_ahead = 0;  // lines that peek() read
  std::optional<std::string> ahead;
  std::vector<std::string> refused;
  std::optional<Error> failure;
};

LineReader::LineReader(const std::string& file, std::uint64_t limit)
    : state_(std::make_unique<State>(file, limit)) {}
LineReader::LineReader(std::string_view bytes, const std::string& name, std::uint64_t limit)
    : state_(std::make_unique<State>(bytes, name, limit)) {}
LineReader::~LineReader() = default;
const std::string& LineReader::name() const { return state_->name; }
std::uint64_t LineReader::lines() const { return state_->lines; }
const std::optional<Error>& LineReader::failure() const { return state_->failure; }
const std::vector<std::string>& LineReader::refused() const { return state_->refused; }

const std::string& LineReader::peek() {
  State& s = *state_;
  std::string line;
  while (!s.ahead && read(line)) {
    if (line.find_first_not_of(" \t\r") == line.npos)
      ++s.blank_ahead;
    else
      s.ahead = std::move(line);
  }
  static const std::string none;
  return s.ahead ? *s.ahead : none;
}

bool LineReader::next(std::string& line) {
  State& s = *state_;
  line.clear();
  if (s.blank_ahead > 0) {
    --s.blank_ahead;
    return true;
  }
  if (!s.ahead) return read(line);
  line = std::move(*s.ahead);
  s.ahead.reset();
  return true;
}

bool LineReader::read(std::string& line) {
  State& s = *state_;
  line.clear();
  if (s.ended) return false;
  bool begun = false;
  try {
    if (!s.decoder) s.decoder = decoder_for(s.input);
    for (;;) {
      if (const auto end = s.rest.find('\n'); end != std::string_view::npos) {
        s.append(line, s.rest.substr(0, end));
        s.rest.remove_prefix(end + 1);
        s.end_line();
        s.count_blank(line);
        return true;
      }
      begun = begun || !s.rest.empty();
      s.append(line, s.rest);
      s.rest = s.unpack();
      if (s.rest.empty()) break;
    }
  } catch (const Damage& damage) {
    const auto offset = s.decoder ? s.decoder->offset() : s.input.offset();
    s.failure.emplace(damage.code,
                      damage.why.starts_with(s.name) && offset == 0 ? damage.why  // of the file itself: nothing came
                          : fmt::format("{}: byte {}: {}; the {} whole lines before it were read; {}", s.name, offset,
                                        damage.why, s.lines, damage.what_to_do));
    line.clear();
    begun = false;
  }
  s.ended = true;
  if (!begun) return false;
  s.end_line();  // the last line may lack its newline
  return true;
}

}  // namespace stackx::workspace
