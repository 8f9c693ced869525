#!/usr/bin/env bash
# Writes deploy/helm/kinds.yaml from the kinds. Checked by hack/verify-kinds.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

node hack/kinds.mjs >deploy/helm/kinds.yaml.new
mv deploy/helm/kinds.yaml.new deploy/helm/kinds.yaml
