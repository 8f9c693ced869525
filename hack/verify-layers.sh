#!/usr/bin/env bash
# Every file imports only what its layer may (hack/layers.mjs).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

node hack/verify-layers.mjs
