// What an ELF file says that it needs: read with bounds, never mapped, never run.
//
// The loader's own answer (`ld.so --list`) is not asked for: it maps a file as the file's headers say before it looks
// at anything, over itself if they say so, and then a catalog's file runs here, outside of any sandbox.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stackx::inspector {

struct ElfNeeds {
  std::uint16_t machine = 0;        // EM_X86_64
  std::string soname;
  std::vector<std::string> needed;  // as written: "libm.so.6", "$ORIGIN/libx.so"
  std::string rpath, runpath;       // directories with colons between them, as written
};

// Nothing of what is no regular file, no ELF file of 64 bits in this machine's byte order, or is damaged.
std::optional<ElfNeeds> elf_needs(const std::filesystem::path& file);

}  // namespace stackx::inspector
