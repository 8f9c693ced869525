#!/usr/bin/env bash
# Measures this server and, where `make tools` built them, its peers; `hack/bench/run.sh --help` lists the options.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

program=dist/hack/bench/main.js
for file in "$program" dist/cmd/apiserver/main.js; do
  if [[ ! -f $file ]]; then
    echo "bench: $file is not built; run make build" >&2
    exit 1
  fi
done
if [[ ! -r /proc/self/stat ]]; then
  echo 'bench: server CPU is read from /proc, which only Linux has' >&2
  exit 1
fi
for tool in etcd kube-apiserver; do
  if [[ ! -x .tools/bin/$tool ]] && ! command -v "$tool" >/dev/null; then
    echo "bench: $tool is not installed (make tools); what needs it is left out" >&2
  fi
done
# 500 watches are 500 connections on both sides.
ulimit -n "$(ulimit -Hn)"
exec node "$program" "$@"
