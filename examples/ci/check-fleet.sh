#!/bin/sh
# Does a stack run on every kind of node of a fleet? One `stackx check` a line of the fleet, one table, one exit code.
set -eu

usage() {
  cat <<'TEXT'
usage: check-fleet.sh [--strict] [-o FILE] FLEET WHAT...

FLEET     a line a kind of node: hardware driver [python [platform]]; `-` stands for any, `#` begins a comment
WHAT      what `stackx check` takes: requirements.txt, a lock file, torch==2.4.0, --catalog FILE, ...
--strict  an unknown fails, too
-o FILE   the report into this file as well; it is Markdown

exit code: 0 it runs everywhere (unknown counts as yes without --strict); 1 somewhere it does not;
2 bad input, 3 the environment failed: the message names the line of the fleet
TEXT
}

bad_input() { printf 'check-fleet.sh: %s\n' "$1" >&2; exit 2; }

# ask_line FIELDS... -- WHAT...: the answer of one line into $work/answer and a row of the table.  Without COLUMNS stackx breaks no line.
ask_line() {
  hardware=$1 driver=$2 python=$3 platform=$4
  shift 4
  node=$hardware
  [ "$driver" = - ] || { node="$node, driver $driver"; set -- "$@" --driver "$driver"; }
  [ "$python" = - ] || { node="$node, Python $python"; set -- "$@" --python "$python"; }
  [ "$platform" = - ] || { node="$node, $platform"; set -- "$@" --platform "$platform"; }
  status=0
  env -u COLUMNS stackx check "$@" --hw "$hardware" $strict </dev/null >"$work/answer" 2>"$work/errors" || status=$?
  if [ "$status" -gt 1 ]; then
    printf 'check-fleet.sh: %s:%s (%s): %s\n' "$fleet" "$number" "$node" "$(sed 's/^stackx: //' "$work/errors")" >&2
    exit "$status"
  fi
  note_answer
}

# The first line of an answer is `Yes: ...`, `No: WHY` or `Unknown: WHY`.
note_answer() {
  first=$(head -n 1 "$work/answer")
  answer=${first%%:*} why=
  asked=$((asked + 1))
  [ "$status" = 0 ] || failed=$((failed + 1))
  [ "$answer" != Unknown ] || unknown=$((unknown + 1))
  if [ "$answer" != Yes ]; then
    why=${first#*: }
    { printf '\n### %s\n\n```text\n' "$node"; cat "$work/answer"; printf '```\n'; } >>"$work/details"
  fi
  sed -n 's/^Not judged: //p' "$work/answer" >>"$work/not-judged"
  printf '| %-36s | %-7s | %s |\n' "$node" "$answer" "$(printf %s "$why" | sed 's/|/\\|/g')" >>"$work/rows"
}

headline() {
  if [ "$failed" -gt 0 ]; then printf 'No: %s fails on %s of %s kinds of nodes.\n' "$1" "$failed" "$asked"
  elif [ "$unknown" -gt 0 ]; then
    printf 'Warning: %s is not known to run on %s of %s kinds of nodes; ' "$1" "$unknown" "$asked"
    echo '--strict makes that fail.'
  else printf 'Yes: %s runs on all %s kinds of nodes.\n' "$1" "$asked"
  fi
}

report() {
  headline "$1"
  printf '\n| %-36s | %-7s | %s |\n|%s|%s|%s|\n' node answer why -------------------------------------- --------- -----
  cat "$work/rows" "$work/details"
  [ -s "$work/not-judged" ] || return 0
  printf '\nNot judged: %s\n' "$(sed 's/, /\n/g' "$work/not-judged" | sort -u | paste -s -d , - | sed 's/,/, /g')"
}

strict='' output=''
while :; do
  case "${1:-}" in
    --strict) strict=--strict; shift ;;
    -o) [ $# -ge 2 ] || bad_input "-o: expected a FILE after it"; output=$2; shift 2 ;;
    -h | --help) usage; exit 0 ;;
    *) break ;;
  esac
done
[ $# -ge 2 ] || { usage >&2; exit 2; }
command -v stackx >/dev/null || { printf 'check-fleet.sh: no stackx in PATH: pip install its wheel\n' >&2; exit 3; }
fleet=$1
shift
[ -r "$fleet" ] || bad_input "$fleet: no such file; expected a line a kind of node: hardware driver python"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/rows" "$work/details" "$work/not-judged"
tr -d '\r' <"$fleet" >"$work/fleet"
number=0 asked=0 failed=0 unknown=0
while read -r hardware driver python platform rest <&3 || [ -n "$hardware" ]; do
  number=$((number + 1))
  case "$hardware" in '' | '#'*) continue ;; esac
  [ -z "$rest" ] || bad_input "$fleet:$number: expected hardware driver python platform, no more; found \"$rest\""
  ask_line "$hardware" "${driver:--}" "${python:--}" "${platform:--}" "$@"
done 3<"$work/fleet"
[ "$asked" -gt 0 ] || bad_input "$fleet: names no node; expected a line a kind of node: hardware driver python"

report "$*" >"$work/report"
cat "$work/report"
[ -z "$output" ] || cp "$work/report" "$output"
[ "$failed" = 0 ]
