#!/usr/bin/env bash
# notes.sh VERSION: prints the part of CHANGELOG.md about a version. Fails where there is none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

notes=$(awk -v heading="## $1" '
  /^## / { inside = ($0 == heading || index($0, heading " ") == 1); next }
  inside
' CHANGELOG.md)
if [[ -z ${notes//[[:space:]]/} ]]; then
  echo "notes: CHANGELOG.md has no part \"## $1\"" >&2
  exit 1
fi
printf '%s\n' "$notes"
