#!/usr/bin/env bash
# No Markdown file has a dead relative link or anchor, or names a path that does not exist.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

node hack/verify-links.mjs
