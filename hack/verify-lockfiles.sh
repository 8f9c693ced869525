#!/usr/bin/env bash
# Every npm lockfile agrees with its package.json and names no registry host, so that any mirror can serve it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

checked=0
for lock in package-lock.json hack/tools/{docs,node24,openapi-typescript,stryker}/package-lock.json; do
  folder=$(dirname "$lock")
  if grep -n '"resolved": *"http' "$lock" | head -n 3 | grep .; then
    echo "verify-lockfiles: $lock names a registry host; delete the resolved lines or repeat npm install" >&2
    exit 1
  fi
  if ! (cd "$folder" && npm ci --dry-run --ignore-scripts >/dev/null); then
    echo "verify-lockfiles: $lock disagrees with $folder/package.json; run npm install in $folder" >&2
    exit 1
  fi
  checked=$((checked + 1))
done
echo "verify-lockfiles: $checked lockfiles agree with their package.json"
