#!/usr/bin/env bash
# deploy/manifests is what the chart gives, and the chart passes Helm's own checks. Mended by hack/update-manifests.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

hack/obtain-tools.sh helm
.tools/bin/helm lint --strict --quiet deploy/helm
.tools/bin/helm lint --strict --quiet deploy/helm-agent --set=cluster=east --set=management.kubeconfigSecretName=management
if ! hack/manifests.sh | diff -u deploy/manifests/management-apiserver.yaml -; then
  echo 'verify-manifests: run hack/update-manifests.sh' >&2
  exit 1
fi
echo 'verify-manifests: the manifests are those of the chart'
