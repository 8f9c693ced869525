#!/usr/bin/env bash
# Puts the definitions of kinds of others that our manifests use into .tools/crds, from pinned Go modules, whose checksums Go
# verifies. What cannot be had is named loudly; with CI=true that is a failure, otherwise the caller goes on without it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

crds=.tools/crds
pins=$(cksum <"${BASH_SOURCE[0]}")
[[ ! -f $crds/.pins || $(cat "$crds/.pins") != "$pins" ]] || exit 0

# take MODULE VERSION FILE...: into $new
take() {
  local folder
  folder=$(cd / && go mod download -json "$1@$2" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p') && [[ -n $folder ]] || return 1
  shift 2
  (cd "$folder" && install -m 644 "$@" "$new")
}

[[ ! -x /usr/local/go/bin/go ]] || PATH="$PATH:/usr/local/go/bin"
mkdir -p .tools
new=$(mktemp -d "$PWD/.tools/.crds.XXXXXX")
trap 'rm -rf "$new"' EXIT
if take github.com/cert-manager/cert-manager v1.21.2 \
  deploy/crds/cert-manager.io_{certificates,certificaterequests,issuers,clusterissuers}.yaml &&
  take github.com/prometheus-operator/prometheus-operator v0.85.0 \
    example/prometheus-operator-crd/monitoring.coreos.com_{servicemonitors,prometheusrules}.yaml &&
  take github.com/external-secrets/external-secrets v0.16.2 \
    config/crds/bases/external-secrets.io_{externalsecrets,secretstores}.yaml \
    config/crds/bases/generators.external-secrets.io_generatorstates.yaml &&
  take github.com/fluxcd/kustomize-controller v1.9.6 config/crd/bases/kustomize.toolkit.fluxcd.io_kustomizations.yaml &&
  take github.com/fluxcd/source-controller v1.9.0 \
    config/crd/bases/source.toolkit.fluxcd.io_{gitrepositories,ocirepositories,buckets,externalartifacts}.yaml; then
  echo "$pins" >"$new/.pins"
  rm -rf "$crds"
  mv "$new" "$crds"
  exit 0
fi
echo 'obtain-crds: NOT AVAILABLE: definitions of cert-manager, the Prometheus operator, External Secrets Operator and Flux' >&2
[[ ${CI:-} != true ]] || exit 1
