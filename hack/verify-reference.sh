#!/usr/bin/env bash
# docs/reference/ says what the code does. Mended by hack/update-reference.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
node hack/reference/main.mjs "$folder"
if ! diff -ru docs/reference "$folder"; then
  echo 'verify-reference: run hack/update-reference.sh' >&2
  exit 1
fi
echo "verify-reference: $(find docs/reference -name '*.md' | wc -l) pages are as the code is"
