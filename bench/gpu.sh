#!/usr/bin/env bash
# All that needs a GPU, in one command on a machine with one: builds stackx and runs bench/gpu/run with what stands behind
# (bench/gpu/run --help). Where nothing can be built or fetched, bring a build and call bench/gpu/run --bin FOLDER.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
command -v nvidia-smi >/dev/null || {  # before anything is built
  printf 'gpu.sh: no nvidia-smi: the NVIDIA driver is not installed, or this container was not given the GPU\n' >&2
  exit 3
}
./run build
exec python3 bench/gpu/run "$@"
