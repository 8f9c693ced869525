#!/usr/bin/env bash
# Computes the answers in test/vectors anew, from their inputs, by the libraries of Kubernetes that hack/tools/vectors pins.
#
#   hack/compute-vectors.sh [NAME...]      (no NAME: all that are computed so)
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
names=("$@")
[[ ${#names[@]} -gt 0 ]] || names=(apply fieldset jsonpatch mergepatch metadata query)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd "$root/hack/tools/vectors" && go build -mod=readonly -o "$work/vectors" .)
zcat "$root/test/vectors/schemas.json.gz" >"$work/schemas.json"
for name in "${names[@]}"; do
  file="$root/test/vectors/$name.jsonl.gz"
  zcat "$file" >"$work/before"
  "$work/vectors" "$name" "$work/schemas.json" <"$work/before" >"$work/after"
  cmp --silent "$work/before" "$work/after" || gzip --no-name --best --stdout "$work/after" >"$file"
done
