#!/usr/bin/env bash
# Is the stack of a new lock file slower than that of the old one? Both are measured on this machine, in interleaved
# rounds of one campaign, so that what the machine does meanwhile happens to both; then `stackx compare` judges.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")

usage() {
  cat <<'TEXT'
usage: compare-locks.sh [OPTION...] OLD.txt NEW.txt

OLD, NEW            pinned requirements, a package a line: of pip freeze, pip-compile, uv export, pipenv requirements
--max-slower P      fail if NEW is shown to be more than P percent slower [3]
--speed FILE        what to measure, and how many rounds: workload and campaign of a project [speed.json beside this]
--rounds N          other rounds than that file says
--pi FILE           a program of your own that measures, as for `stackx inspect --pi`
--python X.Y        the Python of both stacks [that of python3]
-o FILE             the report into this file as well; it is Markdown

exit code: 0 NEW is not shown to be slower; 1 it is, or one of them does not run; 2 bad input; 3 the environment failed
TEXT
}

bad_input() { printf 'compare-locks.sh: %s\n' "$1" >&2; exit 2; }

# What a lock names, a requirement a line: without comments, hashes, and options such as --index-url.
requirements_of() {
  { cat "$1"; echo; } |  # the last line may lack its end
    sed -E -e 's/\r$//; s/(^|[[:space:]])#.*//; s/[[:space:]]*(\\|--hash=.*)$//; s/[[:space:]]+$//' \
      -e '/^[[:space:]]*(--.*)?$/d'
}

check_lock() {
  [ -r "$1" ] || bad_input "$1: no such file; expected pinned requirements"
  local odd
  odd=$(requirements_of "$1" | grep -Em 1 '^-|@|://' || true)
  [ -z "$odd" ] || bad_input "$1: \"$odd\": expected a package of the index with its version, name==1.2.3"
  [ -n "$(requirements_of "$1")" ] || bad_input "$1: names no package; expected pinned requirements"
}

no_stack() { printf 'compare-locks.sh: %s is no stack on Python %s (above)\n' "$1" "$python" >&2; exit "$2"; }

# One catalog of all that both locks name; of each lock the stack that pip would make of it.
resolve_locks() {
  local wanted
  mapfile -t wanted < <(requirements_of "$old"; requirements_of "$new")
  stackx catalog import pypi "${wanted[@]}" --python "$python" --newest 1 -o "$work/index.json" >"$work/log" 2>&1 ||
    { local status=$?; cat "$work/log" >&2; exit "$status"; }
  for lock in old new; do
    requirements_of "${!lock}" >"$work/$lock.txt"
    stackx resolve "$work/$lock.txt" --catalog "$work/index.json" --sample 1 --strategy latest --json \
      >"$work/$lock.json" || no_stack "${!lock}" $?
  done
}

# The project of the campaign. A component `lock` holds each stack together; its version is how the stack's id begins.
write_project() {
  python3 - "$speed" "$work" "$python" <<'PYTHON' || exit 2
import json, pathlib, sys
speed, work, python = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
try:
    project = {"$schema": "stackx/project/1", "name": "speed", **json.loads(speed.read_text())}
    workload, campaign = project["workload"], project["campaign"]
    if any(isinstance(value, list) for value in workload.get("params", {}).values()):
        raise ValueError("a list of values is several workloads")
    parameters = [f"{key}={value}" for key, value in workload.get("params", {}).items()]
    (work / "workload").write_text(":".join([workload["pi"], ",".join(parameters)]).rstrip(":"))
    campaign["stacks"] = []
except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
    sys.exit(f"compare-locks.sh: {speed}: expected JSON with one `workload` and a `campaign`: {error!r}")
locks = {}
for name in ("old", "new"):
    stack = json.loads((work / f"{name}.json").read_text())
    components, label = {"python": python, **stack["components"]}, stack["id"][:12]
    (work / f"{name}.id").write_text(label)
    locks[label] = {"requires": {key: f"=={version}" for key, version in components.items()}}
    campaign["stacks"].append({**components, "lock": label})
component = {"kind": "setting", "versioning": "opaque", "versions": locks}
(work / "locks.json").write_text(json.dumps({"$schema": "stackx/catalog/1", "components": {"lock": component}}))
project.update(catalogs=["index.json", "locks.json"], requires={"lock": "*"})
(work / "project.json").write_text(json.dumps(project))
PYTHON
}

# A gate whose rounds can end in no verdict would let everything pass.
check_rounds() {
  local plan
  plan=$(stackx inspect "$work/project.json" "${measuring[@]}" --dry-run) || exit
  ! grep 'cannot give a verdict' <<<"$plan" >&2 || bad_input "give it more rounds: --rounds N, or in $speed"
}

headline() {
  if [ "$status" = 0 ] && grep -q 'UNRESOLVED\|FASTER' <(head -n 1 "$work/verdict"); then
    printf 'Passes, with nothing shown: these rounds cannot tell if %s is more than %s%% slower.\n' "$new" "$max_slower"
  elif [ "$status" = 0 ]; then printf 'Yes: %s is not more than %s%% slower.\n' "$new" "$max_slower"
  elif grep -q EXCEEDED "$work/verdict"; then printf 'No: %s is more than %s%% slower.\n' "$new" "$max_slower"
  else printf 'No: %s and %s cannot be compared; what failed stands under "measured".\n' "$old" "$new"
  fi
}

report() {
  headline
  printf '\nA is %s, B is %s.\n\n```text\n' "$old" "$new"
  cat "$work/verdict"
  printf '%s\n' '```' '' Measured: '' '```text'
  cat "$work/measured"
  printf '```\n'
}

max_slower=3 speed=$here/speed.json output='' python='' rounds=() pi=()
while [[ ${1:-} == -* ]]; do
  [[ $1 != -h && $1 != --help ]] || { usage; exit 0; }
  [ $# -ge 2 ] || bad_input "$1: expected a value after it"
  case "$1" in
    --max-slower) max_slower=$2 ;;
    --speed) speed=$2 ;;
    --rounds) rounds=(--rounds "$2") ;;
    --pi) pi=(--pi "$2") ;;
    --python) python=$2 ;;
    -o) output=$2 ;;
    *) bad_input "$1: no such option; --help names all" ;;
  esac
  shift 2
done
[ $# = 2 ] || { usage >&2; exit 2; }
command -v stackx >/dev/null || { printf 'compare-locks.sh: no stackx in PATH: pip install its wheel\n' >&2; exit 3; }
old=$1 new=$2
measuring=("${rounds[@]}" "${pi[@]}")
[ -n "$python" ] || python=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
check_lock "$old"
check_lock "$new"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
resolve_locks
write_project
if cmp -s "$work/old.id" "$work/new.id"; then
  printf 'Yes: %s and %s are the same stack on Python %s; nothing to measure.\n' "$old" "$new" "$python" |
    tee ${output:+"$output"}
  exit 0
fi
check_rounds
status=0
stackx inspect "$work/project.json" "${measuring[@]}" >"$work/measured" || status=$?
[ "$status" -le 1 ] || exit "$status"  # 1: nothing ran, which the report says with its reason
status=0
# --workload: a store that is kept may hold more rounds of what was measured before.
stackx compare "lock=$(<"$work/old.id")" "lock=$(<"$work/new.id")" "${pi[@]}" --workload "$(<"$work/workload")" \
  --hw host --no-plots --max-slower "$max_slower" --delta "$max_slower" >"$work/verdict" || status=$?
[ "$status" -le 1 ] || exit "$status"
report >"$work/report"
cat "$work/report"
[ -z "$output" ] || cp "$work/report" "$output"
exit "$status"
