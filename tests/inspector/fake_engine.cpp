#include "tests/inspector/fake_engine.hpp"

#include <cstdlib>

#include "inspector/machine/tree.hpp"

namespace stackx::inspector::testing {

namespace fs = std::filesystem;

namespace {

// The words before the subcommand are options with a value each. `run` drops all up to the image.
const char* const script = R"sh(#!/bin/sh
here=$(dirname "$0")
{ for word; do printf '[%s] ' "$word"; done; echo; } | tr '\n' ' ' >> "$here/argv"
echo >> "$here/argv"
if [ "$1" = --version ]; then echo "$(basename "$0") version 9.8.7"; exit 0; fi
if [ -f "$here/fails" ]; then
  while IFS= read -r pattern; do
    case "$*" in $pattern) echo "Error: $pattern: operation not permitted" >&2; exit 126 ;; esac
  done < "$here/fails"
fi
while [ "${1#--}" != "$1" ]; do shift 2; done
subcommand=$1
shift
file() { echo "$here/images/$(echo "$1" | tr '/: ' '___')"; }
last() { for last; do :; done; echo "$last"; }
# The supervisor with all its orders, and after its "--" what prints $1, or hangs.
prints() {
  text=$1 left=$# own=
  shift
  while [ $((left -= 1)) -gt 0 ]; do
    [ -z "$own" ] && set -- "$@" "$1"
    [ "$1" = -- ] && own=1
    shift
  done
  if [ -f "$here/hangs" ]; then exec "$@" /bin/sleep "$(cat "$here/hangs")"; fi
  exec "$@" /usr/bin/printf '%s\n' "$text"
}
case "$subcommand" in
  import|pull) : > "$(file "$(last "$@")")" ;;
  build)
    while [ $# -gt 0 ]; do
      [ "$1" = --tag ] && : > "$(file "$2")"
      [ "$1" = --file ] && cp "$2" "$here/Containerfile"
      shift
    done ;;
  save) image=$(last "$@"); echo "${image#sha256:}" > "$2" ;;
  load) image=$(cat "$(last "$@")"); [ -n "$image" ] || { echo "Error: unexpected EOF" >&2; exit 125; }; : > "$(file "$image")" ;;
  rmi) rm -f "$(file "$(last "$@")")" ;;
  images) for one in "$here"/images/localhost_stackx-probe_*; do
      [ -f "$one" ] && echo "localhost/stackx-probe:${one##*_}"
    done ;;
  image)
    reference=${4#sha256:}
    [ -f "$(file "$reference")" ] || exit 1
    case "$3" in
      *Digest*) echo sha256:d19e57 ;;
      *Volumes*) cat "$here/volumes" 2> /dev/null ;;
      *) echo "sha256:$(basename "$(file "$reference")")" ;;
    esac ;;
  run)
    while [ "$1" != --entrypoint ]; do shift; done
    shift 3
    case "$*" in
      *" -- /usr/bin/dpkg-query "*) prints "installed libc6 2.36-9
installed python3 3.11.2-1
config-files gone 1" "$@" ;;
      *" -- "*"/python3 -E "*) prints "$(cat "$here/python")" "$@" ;;
      *) exec "$@" ;;
    esac ;;
esac
)sh";

std::string path_with(const fs::path& directory) {
  const char* path = std::getenv("PATH");
  return directory.string() + ":" + (path != nullptr ? path : "/usr/bin:/bin");
}

}  // namespace

FakeEngine::FakeEngine(const std::string& name)
    : name_(name), path_("PATH", path_with(root_.path())) {
  fs::create_directory(root_ / "images");
  testing::write(root_ / "python", "3.11.2 2.36\n");
  testing::write(root_ / "argv", "");
  testing::write(program(), script);
  fs::permissions(program(), fs::perms::owner_all);
}

void FakeEngine::fail(const std::vector<std::string>& patterns) const {
  std::string text;
  for (const auto& pattern : patterns) text += pattern + "\n";
  testing::write(root_ / "fails", text);
}

std::vector<std::string> FakeEngine::calls() const { return words(read(root_ / "argv"), "\n"); }

int FakeEngine::count(const std::string& part) const {
  int count = 0;
  for (const auto& call : calls()) count += call.find(part) != std::string::npos;
  return count;
}

void FakeEngine::forget() const { testing::write(root_ / "argv", ""); }

void FakeEngine::add_program(const std::string& name, const std::string& text) const {
  testing::write(root_ / name, "#!/bin/sh\n" + text + "\n");
  fs::permissions(root_ / name, fs::perms::owner_all);
}

}  // namespace stackx::inspector::testing
