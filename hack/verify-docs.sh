#!/usr/bin/env bash
# The site of docs/ is built: no link of a page is dead, and the navigation has every page. Built again, it is the same.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! make --silent --no-print-directory docs >"$work/log" 2>&1; then
  cat "$work/log" >&2
  exit 1
fi
if ! (cd hack/tools/docs && TZ=Asia/Tokyo LANG=C.UTF-8 DOCS_OUT="$work/site" node_modules/.bin/vitepress build .) >"$work/log" 2>&1; then
  cat "$work/log" >&2
  exit 1
fi
if ! diff --recursive --brief dist/docs "$work/site"; then
  echo 'verify-docs: the site that is built twice differs' >&2
  exit 1
fi
echo "verify-docs: the site has $(find dist/docs -name '*.html' | wc -l) pages, and is the same each time"
