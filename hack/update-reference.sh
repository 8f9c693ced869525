#!/usr/bin/env bash
# Writes docs/reference/ from the code. Checked by hack/verify-reference.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

rm -rf docs/reference
node hack/reference/main.mjs docs/reference
