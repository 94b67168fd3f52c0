#include <elf.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <set>

#include "inspector/environment/elf_needs.hpp"
#include "inspector/environment/library_search.hpp"
#include "inspector/environment/shown_paths.hpp"
#include "inspector/machine/tree.hpp"
#include "inspector/process/process.hpp"
#include "tests/inspector/support.hpp"

namespace elf_needs_tests {

using namespace stackx::inspector;
using namespace stackx::inspector::testing;
namespace fs = std::filesystem;

namespace {

using Paths = std::vector<fs::path>;

Paths needed(const fs::path& file) {
  return needed_libraries(file, [](const fs::path&) { return true; });
}

Finished executed(const Words& argv) {
  Command command;
  command.argv = argv;
  command.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
  return run(command);
}

fs::path loader() {
  for (const char* name : {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"})
    if (fs::exists(name)) return name;
  return {};
}

std::set<fs::path> resolved(const Paths& paths) {
  std::set<fs::path> result;
  for (const auto& path : paths)
    if (!path.filename().string().starts_with("ld-linux")) result.insert(fs::canonical(path));  // the loader, itself
  return result;
}

// What glibc says, of files that this machine trusts; nothing if it cannot say.
std::optional<std::set<fs::path>> told_by_loader(const fs::path& file) {
  const auto told = executed({loader().string(), "--list", file.string()});
  if (!told.ok() || told.out.find("not found") != std::string::npos) return std::nullopt;
  Paths paths;
  for (const auto& line : words(told.out, "\n"))
    if (const auto parts = words(line); parts.size() == 4 && parts[1] == "=>") paths.emplace_back(parts[2]);
  return resolved(paths);
}

// Libraries made on the spot.
class Made {
 public:
  fs::path library(const std::string& name, const Words& more = {}) {
    const auto file = root / name;
    fs::create_directories(file.parent_path());
    testing::write(root / "empty.c", "int empty;\n");
    Words words{"gcc", "-shared", "-fPIC", "-nostdlib", "-Wl,--no-as-needed", "-o", file.string()};
    words.push_back((root / "empty.c").string());
    words.insert(words.end(), more.begin(), more.end());
    const auto done = executed(words);
    INFO(done.err);
    REQUIRE(done.ok());
    return file;
  }
  fs::path operator/(const std::string& name) const { return root / name; }

  TempDirectory root;
};

bool no_compiler() {
  if (!find_program("gcc").empty()) return false;
  WARN("no gcc here: nothing tested");
  return true;
}

}  // namespace

TEST_CASE("this machine's own libraries need what the loader says", "[elf_needs]") {
  if (loader().empty()) return;
  int compared = 0;
  for (const char* directory : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/bin"}) {
    std::error_code error;
    int here = 0;
    for (const auto& entry : fs::directory_iterator(directory, error)) {
      if (here >= 60 || !elf_needs(entry.path())) continue;
      const auto told = told_by_loader(entry.path());
      if (!told) continue;
      INFO(entry.path());
      const auto found = resolved(needed(entry.path()));
      CHECK(std::ranges::includes(found, *told));
      if (found.size() != told->size())  // variants for other processors, and nothing else
        for (const auto& path : found)
          CHECK((told->contains(path) || path.string().find("glibc-hwcaps") != std::string::npos));
      ++here, ++compared;
    }
  }
  CHECK(compared > 20);
}

TEST_CASE("libraries are found beside, by RPATH and RUNPATH, transitively", "[elf_needs]") {
  if (no_compiler()) return;
  Made made;
  const auto deep = made.library("deep/libdeep.so", {"-Wl,-soname,libdeep.so"});
  const auto beside = made.library(
      "lib/libbeside.so", {"-Wl,-soname,libbeside.so", "-Wl,--enable-new-dtags,-rpath,$ORIGIN/../deep", deep.string()});
  const auto plain = made.library("lib/libplain.so", {"-Wl,-soname,libplain.so", deep.string()});
  SECTION("RUNPATH is its file's alone") {
    const auto top = made.library("top.so", {"-Wl,--enable-new-dtags,-rpath,${ORIGIN}/lib", beside.string()});
    CHECK(needed(top) == Paths{made / "lib/libbeside.so", made.root.path() / "lib/../deep/libdeep.so"});
    const auto orphan =
        made.library("orphan.so", {"-Wl,--enable-new-dtags,-rpath,$ORIGIN/lib:$ORIGIN/deep", plain.string()});
    CHECK(needed(orphan) == Paths{plain});
    CHECK(told_by_loader(orphan) == std::nullopt);  // "libdeep.so => not found"
  }
  SECTION("RPATH reaches further") {
    const auto top =
        made.library("top.so", {"-Wl,--disable-new-dtags,-rpath,$ORIGIN/lib:$ORIGIN/deep", plain.string()});
    CHECK(needed(top) == Paths{plain, deep});
    if (const auto told = told_by_loader(top)) CHECK(resolved(needed(top)) == *told);
  }
  SECTION("a name with a slash, and a link") {
    const auto named = made.library("named/libnamed.so");
    fs::create_symlink("libnamed.so", made / "named/link.so");
    const auto top = made.library("top.so", {(made / "named/link.so").string()});
    CHECK(needed(top) == Paths{made / "named/link.so"});
    CHECK(linked_with(top) == Paths{made / "named/link.so", named});
  }
  SECTION("two that need each other") {
    const auto first = made.library("lib/liba.so", {"-Wl,-soname,liba.so"});
    const auto second = made.library("lib/libb.so", {"-Wl,-soname,libb.so", "-Wl,-rpath,$ORIGIN", first.string()});
    made.library("lib/liba.so", {"-Wl,-soname,liba.so", "-Wl,-rpath,$ORIGIN", second.string()});
    CHECK(needed(first) == Paths{second});  // which needs one that is there already
  }
  SECTION("what may not be opened is not there") {
    const auto top = made.library("top.so", {"-Wl,-rpath,$ORIGIN/lib", beside.string()});
    CHECK(needed_libraries(top, [&](const fs::path& real) { return real != beside; }).empty());
    const Variable home("HOME", made.root.path().string());
    const auto hidden = made.library(".own/libhidden.so");
    const auto asks = made.library("asks.so", {"-Wl,-rpath,$ORIGIN/lib", hidden.string(), plain.string()});
    CHECK(linked_with(asks) == Paths{plain});
  }
  SECTION("no library is taken for one") {
    fs::remove(beside);
    testing::write(beside, "#!/bin/sh\n");
    const auto other = made / "other";
    CHECK(linked_with(other).empty());
    fs::create_directories(other);
    CHECK_FALSE(elf_needs(other));
    CHECK_FALSE(elf_needs(beside));
    CHECK_FALSE(elf_needs("/dev/zero"));
  }
}

TEST_CASE("a damaged ELF file is read to its end, and no further", "[elf_needs]") {
  if (no_compiler()) return;
  Made made;
  const auto needs = made.library("libneeds.so");
  const auto whole = read(
      made.library("whole.so", {"-Wl,-soname,libwhole.so", "-Wl,-rpath,$ORIGIN:/nowhere", needs.string()}));
  std::mt19937 random(7);
  const auto file = made / "damaged.so";
  Elf64_Ehdr header{};
  std::memcpy(&header, whole.data(), sizeof header);
  std::size_t dynamic = 0;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    std::memcpy(&segment, whole.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type == PT_DYNAMIC) dynamic = segment.p_offset;
  }
  for (int i = 0; i < 1000; ++i) {
    auto text = whole;
    for (int changes = 0; changes < 1 + i % 4; ++changes) {
      const auto from = random() % 2 == 0 ? dynamic : 0;
      text[from + random() % 600] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    }
    if (i % 5 == 0) text.resize(random() % text.size());
    testing::write(file, text);
    needed(file);
  }
  SUCCEED("none crashed or hung");
}

TEST_CASE("a file that asks for everything is given little", "[elf_needs]") {
  if (no_compiler()) return;
  Made made;
  std::string directories = "$ORIGIN";
  for (int i = 0; i < 300; ++i) directories += ":$ORIGIN/../x";
  Words more{"-Wl,-rpath," + directories};
  for (int i = 0; i < 400; ++i) {
    const auto name = "libn" + std::to_string(i) + ".so";
    if (i == 0) made.library(name);
    else fs::copy_file(made / "libn0.so", made / name);
    more.push_back((made / name).string());
  }
  CHECK(needed(made.library("greedy.so", more)).size() <= 256);
}

TEST_CASE("ld.so.cache is read as it is written, and no further", "[elf_needs]") {
  const auto cache = read("/etc/ld.so.cache");
  for (const char* name : {"libc.so.6", "libm.so.6"})
    if (cache.find("glibc-ld.so.cache1.1") != std::string::npos) CHECK_FALSE(cached_libraries(cache, name).empty());
  CHECK(cached_libraries("", "libc.so.6").empty());
  const auto cut = cache.substr(0, 4000);
  for (std::size_t size = 0; size < cut.size(); size += 7) cached_libraries(cut.substr(0, size), "libc.so.6");
}

}  // namespace elf_needs_tests
