#!/usr/bin/env bash
# Formats every file. Checked by hack/verify-format.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

node_modules/.bin/oxfmt .
