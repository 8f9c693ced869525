#!/usr/bin/env bash
# Writes deploy/manifests from the chart. Checked by hack/verify-manifests.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mkdir -p deploy/manifests
write() {
  hack/manifests.sh "${@:2}" >"deploy/manifests/$1.new"
  mv "deploy/manifests/$1.new" "deploy/manifests/$1"
}
write management-apiserver.yaml
# When the servers of that have taken over.
write requests.yaml requests.everybody=always
