#include <catch2/catch.hpp>
#include <filesystem>

#include "inspector/environment/shown_paths.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;
namespace fs = std::filesystem;

TEST_CASE("what belongs to the machine, to users and to stackx is shown to nobody", "[shown_paths]") {
  const TempDirectory root;
  fs::create_directories(root / "homes/me/.ssh");
  fs::create_directories(root / "homes/me/.pyenv/versions/3.11");
  fs::create_directories(root / "homes/me/lib");
  fs::create_directories(root / "data/stackx");
  const Variable home("HOME", (root / "homes/me").string()), data("XDG_DATA_HOME", (root / "data").string());
  for (const char* path : {"/", "/proc", "/proc/1/root", "/sys/kernel", "/run/user", "/etc", "/etc/shadow", "/var", "/var/lib/x", "/tmp",
                           "/home", "/root", "relative"})
    CHECK(why_not_shown(path));
  for (const char* part : {"homes/me", "homes", "homes/me/.ssh", "homes/me/.ssh/id", "homes/me/.netrc", "data/stackx", "data", "data/stackx/stackx.db"})
    CHECK(why_not_shown(fs::canonical(root.path()) / part));
  CHECK(why_not_shown(fs::canonical(root.path())));  // holds the home
  for (const char* part : {"homes/me/.pyenv/versions/3.11", "homes/me/lib", "other"}) CHECK_FALSE(why_not_shown(fs::canonical(root.path()) / part));
  for (const char* part : {".cache", ".cache/huggingface/token", ".cache/uv", ".local", ".local/share", ".local/share/keyrings",
                           ".local/share/uv/credentials", ".local/bin/python3", ".conda", ".conda/anaconda-token", ".pyenv", ".venvs2"})
    CHECK(why_not_shown(fs::canonical(root / "homes/me") / part));
  for (const char* part : {".conda/envs/a/bin/python3", ".local/lib/python3.11", ".local/share/uv/python/cpython-3.12", ".venv/bin/python"})
    CHECK_FALSE(why_not_shown(fs::canonical(root / "homes/me") / part));
  CHECK_FALSE(why_not_shown("/usr/lib/x86_64-linux-gnu/libm.so.6"));
  CHECK_FALSE(why_not_shown("/opt/intel/mkl/lib"));
}

TEST_CASE("a program's installation is shown at each of its names", "[shown_paths]") {
  const TempDirectory root;
  fs::create_directories(root / "venv/bin");
  fs::create_directories(root / "real/bin");
  testing::write(root / "real/bin/python3.11", "");
  fs::create_symlink(root / "real/bin/python3.11", root / "real/bin/python3");
  fs::create_symlink("../../real/bin/python3", root / "venv/bin/python");
  CHECK(installations_of(root / "venv/bin/python") == std::vector<fs::path>{root / "venv", root / "real"});
  testing::write(root / "alone", "");
  CHECK(installations_of(root / "alone") == std::vector<fs::path>{root / "alone"});
  CHECK(installations_of("/usr/bin/python3").empty());
  CHECK(belongs_to(root / "venv/bin/python", root / "real"));
  CHECK(belongs_to(root / "venv/bin/python", "/usr"));
  CHECK_FALSE(belongs_to(root / "venv/bin/python", root.path()));
  CHECK_FALSE(belongs_to(root / "alone", root / "real"));
}

TEST_CASE("what a program is linked with is read from it", "[shown_paths]") {
  CHECK(linked_with("/usr/bin/env").empty());  // all of it lies in /usr
  CHECK(linked_with("/nothing").empty());
}
