#!/usr/bin/env bash
# Writes what the chart installs by default as plain manifests, in the namespace `management`, to standard output.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

hack/obtain-tools.sh helm
export PATH="$PWD/.tools/bin:$PATH"

cat <<'EOF'
# Written by hack/update-manifests.sh from deploy/helm: kubectl apply -f
apiVersion: v1
kind: Namespace
metadata:
  name: management
  labels:
    pod-security.kubernetes.io/enforce: restricted
EOF
helm template management-apiserver deploy/helm --namespace management --no-hooks --kube-version 1.37.0 |
  sed '/^ *app.kubernetes.io\/managed-by: Helm$/d; /^ *helm.sh\/chart: /d; /^ *- --encryption-key-secret-release=/d'
