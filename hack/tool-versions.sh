#!/usr/bin/env bash
# Prints the versions of the programs that the tests run with: those in .tools/bin, else those on PATH.
#
#   hack/tool-versions.sh [NAME...]      (no NAME: those of `make test`)
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PATH="$root/.tools/bin:$PATH"

# version_of NAME -> the first thing in its output that looks like a version
version_of() {
  case "$1" in
    # It has no flag that tells.
    sample-apiserver) sed -n 's#.*k8s.io/sample-apiserver v#v#p' "$root/hack/tools/kubernetes/go.mod" ;;
    kubectl) kubectl version --client ;;
    helm) helm version --short ;;
    *) "$1" --version ;;
  esac 2>/dev/null | sed -nE 's/^[^0-9]*([0-9]+\.[0-9]+[^ ,]*).*/\1/p' | head -n 1
}

[[ $# -gt 0 ]] || set -- node kubectl helm etcd
for name in "$@"; do
  if command -v "$name" >/dev/null; then
    printf 'tests run with %s %s\n' "$name" "$(version_of "$name" || true)"
  else
    printf 'tests run without %s\n' "$name"
  fi
done
