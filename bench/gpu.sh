#!/usr/bin/env bash
# All that needs a GPU, in one command on a machine with one: builds stackx, measures on the device with every GPU PI, lets the
# inspector compare CUDA's own cuBLAS with PyTorch's, cuBLASLt and our two kernels at 1024 to 16384 in four dtypes, and leaves the
# result documents, their conditions, an evidence file to commit, and the table for the README.
#
#   bench/gpu.sh [--rounds N] [--device UUID] [--output DIRECTORY] [--project FILE] [--skip-tests]
#
# Needs an NVIDIA driver, Debian's packages (./run installs what is missing) and the Python package index: the libraries come as
# wheels, 2 GB. No CUDA toolkit and no PyTorch; what the machine has of them is named by `catalog discover`, and --project takes a
# project of yours on that. Exit status 3 where there is no GPU, or where a step fails.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

die() { printf 'gpu.sh: %s\n' "$*" >&2; exit 3; }
step() { printf '\n== %s\n' "$*"; }

rounds=5 device='' output='' project=examples/gpu-matmul/project.json tests=yes
while [ $# -gt 0 ]; do
  case "$1" in
    --rounds) rounds=${2:?--rounds N}; shift ;;
    --device) device=${2:?--device UUID}; shift ;;
    --output) output=${2:?--output DIRECTORY}; shift ;;
    --project) project=${2:?--project FILE}; shift ;;
    --skip-tests) tests=no ;;
    -h | --help) sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) printf 'gpu.sh: unknown option %s; bench/gpu.sh --help\n' "$1" >&2; exit 2 ;;
  esac
  shift
done

# Before anything is built or fetched.
command -v nvidia-smi >/dev/null || die "no nvidia-smi: the NVIDIA driver is not installed, or this container was not given the GPU"
nvidia-smi -L >/dev/null 2>&1 || die "nvidia-smi finds no GPU: $(nvidia-smi -L 2>&1 | head -n 1)"
if [ -z "$device" ]; then device=$(nvidia-smi --query-gpu=uuid --format=csv,noheader | head -n 1); fi
name=$(nvidia-smi --query-gpu=name --format=csv,noheader --id="$device" | head -n 1) || die "no GPU $device: $(nvidia-smi -L)"
short=$(printf '%s' "$name" | tr '[:upper:]' '[:lower:]' | sed -e 's/nvidia//; s/[^a-z0-9]\{1,\}/-/g; s/^-//; s/-$//')
output=${output:-build/gpu/$short}
mkdir -p "$output"
printf 'device: %s (%s), driver %s\nresults: %s\n' "$name" "$device" \
  "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader --id="$device")" "$output"

conditions() {  # conditions FILE: clocks, limits, temperature, who else is there
  nvidia-smi -q --id="$device" >"$output/$1" || die "nvidia-smi -q failed"
  nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv --id="$device" >>"$output/$1" || true
}

step "building"
./run build
conditions before.txt
stackx=build/stackx pi=build/stackx-pi
export STACKX_DB=$output/gpu.db
$stackx hw >"$output/hw.txt"
$stackx catalog discover >"$output/discovered.json" 2>"$output/discovered.txt" ||
  printf 'gpu.sh: catalog discover failed: %s\n' "$(tail -n 1 "$output/discovered.txt")" >&2

step "the plan                                       build/stackx inspect $project --dry-run"
$stackx inspect "$project" --dry-run --device "$device" --rounds "$rounds" | tail -n 4

if [ "$tests" = yes ]; then
  step "every GPU PI once, checked                     $output/pis.jsonl"
  python3 bench/gpu_pis "$pi" "$device" >"$output/pis.jsonl" || die "a GPU PI failed: $output/pis.jsonl"
fi

step "cuDNN 8 against 9                              build/stackx inspect examples/gpu-conv2d/project.json"
$stackx inspect examples/gpu-conv2d/project.json --device "$device" --rounds "$rounds" | tee "$output/conv2d.txt" ||
  printf 'gpu.sh: conv2d was not measured, see above; going on\n' >&2

step "measuring                                      build/stackx inspect $project --device $device --rounds $rounds"
$stackx inspect "$project" --device "$device" --rounds "$rounds" | tee "$output/inspect.txt"
conditions after.txt
$stackx export -o "$output/results.jsonl"

step "ours against cuBLAS and against the device's peak"
python3 bench/gpu_table "$output/results.jsonl" --device "$device" --evidence "$output/$short-matmul.json" | tee "$output/table.md"
printf '\nTo keep: cp %s specs/data/evidence/matmul/ && git add specs/data/evidence/matmul/%s\n' "$output/$short-matmul.json" "$short-matmul.json"
printf 'Result documents: %s; conditions: %s/before.txt, %s/after.txt\n' "$output/results.jsonl" "$output" "$output"
