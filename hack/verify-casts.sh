#!/usr/bin/env bash
# No folder has more type assertions than its budget says.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

node hack/verify-casts.mjs
