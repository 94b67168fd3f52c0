#include "inspector/environment/elf_needs.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace stackx::inspector {
namespace {

constexpr std::size_t most_headers = 64;    // of a program; linkers write a dozen
constexpr std::size_t most_entries = 4096;  // of the dynamic section
constexpr std::size_t most_needed = 256;
constexpr std::size_t longest_name = 4096;

// Bytes of a file, of which nothing is believed: what lies beyond its end cannot be read.
class BytesOfFile {
 public:
  explicit BytesOfFile(const std::filesystem::path& file)
      : descriptor_(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    struct stat status {};
    if (descriptor_ >= 0 && fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode))
      size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~BytesOfFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  BytesOfFile(const BytesOfFile&) = delete;
  BytesOfFile& operator=(const BytesOfFile&) = delete;

  bool read(std::uint64_t offset, void* to, std::size_t bytes) const {
    return offset <= size_ && bytes <= size_ - offset &&
           pread(descriptor_, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  }
  // As many as there are, at most `most`; nothing if the file cannot be read there.
  template <typename Value>
  std::vector<Value> values(std::uint64_t offset, std::uint64_t bytes, std::size_t most) const {
    if (offset > size_) return {};
    const auto count = std::min({bytes, size_ - offset, std::uint64_t{most} * sizeof(Value)}) / sizeof(Value);
    std::vector<Value> result(count);
    if (!read(offset, result.data(), count * sizeof(Value))) result.clear();
    return result;
  }

 private:
  int descriptor_;
  std::uint64_t size_ = 0;
};

bool is_ours(const Elf64_Ehdr& header) {
  constexpr auto order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_ident[EI_DATA] == order && (header.e_type == ET_DYN || header.e_type == ET_EXEC) &&
         header.e_phentsize == sizeof(Elf64_Phdr) && header.e_phnum <= most_headers;
}

// Where in the file lies what would lie at this address.
std::optional<std::uint64_t> place_of(std::uint64_t address, const std::vector<Elf64_Phdr>& headers) {
  for (const auto& header : headers)
    if (header.p_type == PT_LOAD && address >= header.p_vaddr && address - header.p_vaddr < header.p_filesz)
      return header.p_offset + (address - header.p_vaddr);  // it may wrap: to a place with the same bounds
  return std::nullopt;
}

class Dynamic {
 public:
  Dynamic(const BytesOfFile& file, const std::vector<Elf64_Phdr>& headers) : file_(file) {
    for (const auto& header : headers)
      if (header.p_type == PT_DYNAMIC && entries_.empty())
        entries_ = file.values<Elf64_Dyn>(header.p_offset, header.p_filesz, most_entries);
    entries_.erase(std::ranges::find(entries_, DT_NULL, &Elf64_Dyn::d_tag), entries_.end());
    for (const auto& entry : entries_) {
      if (entry.d_tag == DT_STRTAB) strings_ = place_of(entry.d_un.d_ptr, headers);
      if (entry.d_tag == DT_STRSZ) bytes_of_strings_ = entry.d_un.d_val;
    }
  }

  std::vector<std::string> texts(std::int64_t tag) const {
    std::vector<std::string> result;
    for (const auto& entry : entries_)
      if (entry.d_tag == tag && result.size() < most_needed)
        if (auto text = text_at(entry.d_un.d_val); !text.empty()) result.push_back(std::move(text));
    return result;
  }
  std::string text(std::int64_t tag) const {
    const auto all = texts(tag);
    return all.empty() ? "" : all.front();
  }

 private:
  std::string text_at(std::uint64_t offset) const {
    if (!strings_ || offset >= bytes_of_strings_) return "";
    const auto bytes = file_.values<char>(*strings_ + offset, bytes_of_strings_ - offset, longest_name);
    const auto end = std::ranges::find(bytes, '\0');
    return end == bytes.end() ? "" : std::string(bytes.begin(), end);
  }

  const BytesOfFile& file_;
  std::vector<Elf64_Dyn> entries_;
  std::optional<std::uint64_t> strings_;
  std::uint64_t bytes_of_strings_ = 0;
};

}  // namespace

std::optional<ElfNeeds> elf_needs(const std::filesystem::path& file) {
  const BytesOfFile bytes(file);
  Elf64_Ehdr header{};
  if (!bytes.read(0, &header, sizeof header) || !is_ours(header)) return std::nullopt;
  std::vector<Elf64_Phdr> headers(header.e_phnum);
  if (!bytes.read(header.e_phoff, headers.data(), headers.size() * sizeof(Elf64_Phdr))) return std::nullopt;
  const Dynamic dynamic(bytes, headers);
  return ElfNeeds{header.e_machine, dynamic.text(DT_SONAME), dynamic.texts(DT_NEEDED), dynamic.text(DT_RPATH),
                  dynamic.text(DT_RUNPATH)};
}

}  // namespace stackx::inspector
