#!/usr/bin/env bash
# Something uses each file, each export and each dependency; what product code exports is used by more than tests (knip.config.js).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for mode in '' --production; do
  if ! node_modules/.bin/knip --no-progress --treat-config-hints-as-errors $mode; then
    echo "verify-unused: delete these, or take the word \`export\` away${mode:+; what tests alone use belongs into a folder testing/}" >&2
    exit 1
  fi
done
echo 'verify-unused: everything that is there is used'
