#!/usr/bin/env bash
# Methods of classes are called on their objects (verify-methods.mjs).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec node hack/verify-methods.mjs
