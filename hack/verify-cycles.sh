#!/usr/bin/env bash
# No file imports itself by way of others, types included.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

node hack/verify-cycles.mjs
