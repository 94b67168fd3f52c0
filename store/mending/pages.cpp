#include "store/mending/pages.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <tuple>

#include "specs/error.hpp"

namespace stackx::store {
namespace {

constexpr std::uint64_t largest_record = 256ULL << 20;
constexpr std::size_t most_columns = 2000;  // SQLite's own limit
constexpr std::size_t file_header = 100;
// In a sound file no byte belongs to two records. Pointers of a damaged one may name a place again and again, and those
// that somebody wrote as often as they can, in circles: what is read in all stays a small multiple of the file.
constexpr std::uint8_t most_readings = 8;
constexpr char inner_index = 0x02, inner_table = 0x05, leaf_index = 0x0a, leaf_table = 0x0d;

// Big-endian, as everything in the file; callers have checked the bounds.
std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < width; ++i)
    result = result << 8 | static_cast<unsigned char>(bytes[at + i]);
  return result;
}

// 1 to 9 bytes, the ninth whole; nullopt if cut off. `at` moves behind it.
std::optional<std::uint64_t> varint(std::string_view bytes, std::size_t& at) {
  std::uint64_t result = 0;
  for (int i = 0; i < 9; ++i) {
    if (at >= bytes.size()) return std::nullopt;
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    if (i == 8) return result << 8 | byte;
    result = result << 7 | (byte & 0x7f);
    if (byte < 0x80) return result;
  }
  return std::nullopt;
}

std::size_t width_of(std::uint64_t type) {
  constexpr std::size_t small[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};
  return type < 10 ? small[type] : type < 12 ? 0 : static_cast<std::size_t>((type - 12) / 2);
}

Value value_of(std::uint64_t type, std::string_view bytes) {
  if (type == 0) return {};
  if (type == 8 || type == 9) return static_cast<std::int64_t>(type - 8);
  if (type == 7) return std::bit_cast<double>(number(bytes, 0, 8));
  if (type < 7) {
    const int unused = 64 - 8 * static_cast<int>(bytes.size());
    return static_cast<std::int64_t>(number(bytes, 0, bytes.size()) << unused) >> unused;
  }
  if (type % 2) return std::string(bytes);
  return BlobValue{std::string(bytes)};
}

// Nothing if the header and the values do not fill the record exactly.
std::optional<std::vector<Value>> parse_record(std::string_view payload) {
  std::size_t at = 0;
  const auto header = varint(payload, at);
  if (!header || *header > payload.size()) return std::nullopt;
  const std::string_view types = payload.substr(0, *header);
  std::size_t value = *header;
  std::vector<Value> values;
  while (at < types.size()) {
    const auto type = varint(types, at);
    if (!type || *type == 10 || *type == 11 || values.size() == most_columns) return std::nullopt;
    const std::size_t width = width_of(*type);
    if (width > payload.size() - value) return std::nullopt;
    values.push_back(value_of(*type, payload.substr(value, width)));
    value += width;
  }
  if (value != payload.size()) return std::nullopt;
  return values;
}

bool is_tree_page(char type) {
  return type == inner_index || type == inner_table || type == leaf_index || type == leaf_table;
}

// As the head of the file says; if that is damaged, the size at which most pages begin like one.
std::uint32_t page_size_of(std::string_view file) {
  const auto stated = static_cast<std::uint32_t>(number(file, 16, 2));
  const std::uint32_t size = stated == 1 ? 65536 : stated;
  if (file.starts_with("SQLite format 3") && size >= 512 && std::has_single_bit(size)) return size;
  std::uint32_t best = 4096;
  double most = 0;
  for (const std::uint32_t one : {4096U, 8192U}) {
    std::size_t pages = 0, trees = 0;
    for (std::size_t at = one; at < file.size(); at += one, ++pages)
      trees += is_tree_page(file[at]);
    const double share = pages ? static_cast<double>(trees) / static_cast<double>(pages) : 0;
    if (share >= most) std::tie(best, most) = std::tuple(one, share);
  }
  return best;
}

}  // namespace

PageFile::PageFile(const std::filesystem::path& file)
    : descriptor_(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
  struct stat status {};
  if (descriptor_ < 0 && (errno == ENOENT || errno == ENOTDIR))
    throw bad_input(fmt::format("{}: no such file; check the path", file.string()));
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0)
    throw broken_environment(
        fmt::format("{}: cannot be read: {}; check its permissions",
                    file.string(), std::strerror(errno)));
  const auto size = static_cast<std::size_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || size < 512) {
    ::close(descriptor_);
    throw bad_input(fmt::format(
        "{}: no store, not even a damaged one: expected a file of at least a page", file.string()));
  }
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  if (mapped == MAP_FAILED) {
    ::close(descriptor_);
    throw broken_environment(
        fmt::format("{}: cannot be mapped: {}", file.string(), std::strerror(errno)));
  }
  bytes_ = {static_cast<const char*>(mapped), size};
  page_size_ = page_size_of(bytes_);
  const auto reserved = static_cast<unsigned char>(bytes_[20]);
  usable_ = page_size_ - (page_size_ - reserved >= 480 && reserved < 64 ? reserved : 0);
  pages_ = static_cast<std::uint32_t>(size / page_size_);
  visited_.resize(pages_ + 1);
  overflows_.resize(pages_ + 1);
}

PageFile::~PageFile() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::uint32_t PageFile::user_version() const {
  return static_cast<std::uint32_t>(number(bytes_, 60, 4));
}

std::string_view PageFile::page(std::uint32_t page) const {
  return bytes_.substr(static_cast<std::size_t>(page - 1) * page_size_, usable_);
}

std::map<std::string, std::uint32_t> PageFile::roots() {
  std::map<std::string, std::uint32_t> result;
  walk(1, [&](const Record& row) {  // type, name, tbl_name, rootpage, sql
    if (row.values.size() != 5) return;
    const auto* name = std::get_if<std::string>(&row.values[1]);
    const auto* root = std::get_if<std::int64_t>(&row.values[3]);
    if (name && root && *root > 1 && *root <= pages_)
      result.emplace(*name, static_cast<std::uint32_t>(*root));
  });
  return result;
}

void PageFile::walk(std::uint32_t root, const Visit& visit) {
  std::vector<std::uint32_t> todo{root};
  while (!todo.empty()) {
    const std::uint32_t current = todo.back();
    todo.pop_back();
    if (current == 0 || current > pages_ || visited_[current]) {
      ++unreadable_;
      continue;
    }
    const std::size_t header = current == 1 ? file_header : 0;
    const std::string_view bytes = page(current);
    const char type = bytes[header];
    const bool inner = type == inner_index || type == inner_table;
    if (!inner && type != leaf_index && type != leaf_table) {
      ++unreadable_;
      continue;
    }
    visited_[current] = true;
    const bool has_rows = type == inner_table || type == leaf_table;
    if (inner) {
      const std::size_t cells = number(bytes, header + 3, 2);
      todo.push_back(static_cast<std::uint32_t>(number(bytes, header + 8, 4)));
      for (std::size_t i = cells; i-- > 0;) {
        const std::size_t pointer = header + 12 + 2 * i;
        if (pointer + 2 > bytes.size()) continue;
        const std::size_t cell = number(bytes, pointer, 2);
        if (cell + 4 > bytes.size()) continue;
        todo.push_back(static_cast<std::uint32_t>(number(bytes, cell, 4)));
      }
    }
    if (type != inner_table) read_cells(bytes, header, has_rows, inner, visit);
  }
}

void PageFile::rest(const Visit& visit) {
  for (std::uint32_t number = 2; number <= pages_; ++number) {
    if (visited_[number] || page(number)[0] != leaf_table) continue;
    visited_[number] = true;
    read_cells(page(number), 0, true, false, visit);
  }
}

void PageFile::read_cells(std::string_view page, std::size_t header, bool has_rows, bool inner,
                          const Visit& visit) {
  const std::size_t cells = number(page, header + 3, 2), pointers = header + (inner ? 12 : 8);
  std::vector<bool> seen(page.size());
  readable_ = most_readings * page.size();
  for (std::size_t i = 0; i < cells; ++i) {
    if (pointers + 2 * i + 2 > page.size()) {
      ++unreadable_;
      return;
    }
    const std::size_t cell = number(page, pointers + 2 * i, 2);
    if (cell >= page.size() || seen[cell]) {
      ++unreadable_;
      continue;
    }
    seen[cell] = true;
    if (!read_cell(page, cell + (inner ? 4 : 0), has_rows, visit)) ++unreadable_;
  }
}

bool PageFile::read_cell(std::string_view page, std::size_t at, bool has_rows, const Visit& visit) {
  const auto size = varint(page, at);
  const auto row = has_rows ? varint(page, at) : std::optional<std::uint64_t>(0);
  std::string payload;
  if (!size || !row || *size > largest_record || *size > bytes_.size() ||
      !read_payload(page, at, *size, has_rows, payload))
    return false;
  auto values = parse_record(payload);
  if (!values) return false;
  visit({static_cast<std::int64_t>(*row), std::move(*values)});
  return true;
}

// What does not fit into the cell goes on in a chain of overflow pages.
bool PageFile::read_payload(std::string_view page, std::size_t at, std::uint64_t size,
                            bool has_rows, std::string& payload) {
  const std::uint64_t most = has_rows ? usable_ - 35 : (usable_ - 12) * 64 / 255 - 23;
  const std::uint64_t least = (usable_ - 12) * 32 / 255 - 23;
  std::uint64_t local = size;
  if (size > most) {
    local = least + (size - least) % (usable_ - 4);
    if (local > most) local = least;
  }
  if (at > page.size() || local + (size > local ? 4 : 0) > page.size() - at) return false;
  if (local > readable_) return false;
  readable_ -= local;
  payload = page.substr(at, local);
  std::uint32_t next = size > local ? static_cast<std::uint32_t>(number(page, at + local, 4)) : 0;
  while (payload.size() < size) {
    if (next == 0 || next > pages_ || overflows_[next] == most_readings) return false;
    ++overflows_[next];
    const std::string_view overflow = this->page(next);
    payload += overflow.substr(4, size - payload.size());
    next = static_cast<std::uint32_t>(number(overflow, 0, 4));
  }
  return true;
}

}  // namespace stackx::store
