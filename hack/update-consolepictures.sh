#!/usr/bin/env bash
# Takes the pictures of docs/console.md anew, in Chromium: look at them before they are committed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

npm run --silent build
NODE_OPTIONS=--experimental-vm-modules npx jest test/e2e/console/consolepictures.test.ts
for name in secret whocan yaml; do
  cp ".tools/results/console/docs-$name.png" "docs/console-$name.png"
done
