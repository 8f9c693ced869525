#!/usr/bin/env bash
# deploy/manifests is what the chart gives, and the chart passes Helm's own checks. Mended by hack/update-manifests.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

hack/obtain-tools.sh helm
.tools/bin/helm lint --strict --quiet deploy/helm
.tools/bin/helm lint --strict --quiet deploy/helm-agent --set=cluster=east --set=management.kubeconfigSecretName=management
check() {
  hack/manifests.sh "${@:2}" | diff -u "deploy/manifests/$1" - && return
  echo 'verify-manifests: run hack/update-manifests.sh' >&2
  exit 1
}
check management-apiserver.yaml
check requests.yaml requests.everybody=always
echo 'verify-manifests: the manifests are those of the chart'
