#!/usr/bin/env bash
# The site of docs/ is built: no link of a page is dead, and the navigation has every page.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! make --silent --no-print-directory docs >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
echo "verify-docs: the site has $(find dist/docs -name '*.html' | wc -l) pages"
