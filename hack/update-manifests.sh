#!/usr/bin/env bash
# Writes deploy/manifests from the chart. Checked by hack/verify-manifests.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mkdir -p deploy/manifests
hack/manifests.sh >deploy/manifests/management-apiserver.yaml.new
mv deploy/manifests/management-apiserver.yaml.new deploy/manifests/management-apiserver.yaml
