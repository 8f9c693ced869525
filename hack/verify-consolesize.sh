#!/usr/bin/env bash
# The first load of the console and each of its pages stay within their bounds, compressed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

node hack/verify-consolesize.mjs
