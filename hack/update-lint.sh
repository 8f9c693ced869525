#!/usr/bin/env bash
# Mends what eslint can mend by itself. Checked by hack/verify-lint.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

node_modules/.bin/eslint . --config eslint.types.config.js --fix
