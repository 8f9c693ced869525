#!/usr/bin/env bash
# docs/configuration.md names exactly the flags that the server has, each with its default.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

node hack/verify-flags.mjs
