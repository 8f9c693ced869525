#!/usr/bin/env bash
# Mends what the linters can mend by themselves. Checked by hack/verify-lint.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

node_modules/.bin/oxlint --type-aware --fix
