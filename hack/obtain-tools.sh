#!/usr/bin/env bash
# Puts the named programs into .tools/bin, built from pinned Go modules: the peers of the tests from those under
# hack/tools, secretmirror and clientload from their own sources in test/controllerruntime, linearizability, a judge of
# histories, from those in hack/tools/porcupine, sigsyaml, which reads YAML as Kubernetes does, from its own, and reverseproxy,
# which the agent is measured beside.
#
#   hack/obtain-tools.sh [--accept-installed] [NAME...]      (no NAME: all but those of `make recipes` and `make clients` alone)
#
# --accept-installed   a program on PATH that is new enough will do and nothing is built for it
#
# With CI=true --accept-installed is ignored: CI runs the pinned programs.
#
# A program is rebuilt when its pins change. What was built once is kept in ~/.cache/management-apiserver/tools, where other
# clones find it. What cannot be had is named loudly; with CI=true that is a failure, otherwise the caller goes on without it.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin="$root/.tools/bin"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/management-apiserver/tools"
# Days after which what was built for other pins is removed from it.
CACHE_DAYS=30
all=(etcd etcdctl kubectl helm kube-apiserver kube-controller-manager sample-apiserver kube-apiserver-1.30
  kube-controller-manager-1.30 secretmirror clientload linearizability sigsyaml actionlint reverseproxy)

# module_of NAME -> folder whose go.mod pins it
module_of() {
  case "$1" in
    etcd | etcdctl) echo hack/tools/etcd ;;
    kubectl | helm) echo hack/tools/clients ;;
    kube-apiserver | kube-controller-manager | sample-apiserver) echo hack/tools/kubernetes ;;
    kube-apiserver-1.30 | kube-controller-manager-1.30) echo hack/tools/kubernetes-1.30 ;;
    secretmirror | clientload) echo test/controllerruntime ;;
    linearizability) echo hack/tools/porcupine ;;
    sigsyaml) echo hack/tools/sigsyaml ;;
    actionlint) echo hack/tools/actionlint ;;
    kubeconform) echo hack/tools/kubeconform ;;
    reverseproxy) echo hack/tools/reverseproxy ;;
    tofu) echo hack/tools/opentofu ;;
    kustomize-controller) echo hack/tools/flux ;;
    gitops-agent) echo hack/tools/argocd ;;
    external-secrets) echo hack/tools/externalsecrets ;;
    cert-manager) echo hack/tools/certmanager ;;
    *)
      echo "obtain-tools: unknown tool '$1' (known: ${all[*]})" >&2
      return 2
      ;;
  esac
}

# package_of NAME -> what is built; the program is first named by its last part without a version
package_of() {
  case "$1" in
    etcd) echo go.etcd.io/etcd/server/v3 ;;
    etcdctl) echo go.etcd.io/etcd/etcdctl/v3 ;;
    helm) echo helm.sh/helm/v4/cmd/helm ;;
    sample-apiserver) echo k8s.io/sample-apiserver ;;
    secretmirror) echo management-apiserver/test/controllerruntime ;;
    clientload) echo management-apiserver/test/controllerruntime/clientload ;;
    linearizability) echo management-apiserver/hack/tools/porcupine ;;
    sigsyaml) echo management-apiserver/hack/tools/sigsyaml ;;
    actionlint) echo github.com/rhysd/actionlint/cmd/actionlint ;;
    kubeconform) echo github.com/yannh/kubeconform/cmd/kubeconform ;;
    reverseproxy) echo management-apiserver/hack/tools/reverseproxy ;;
    tofu) echo github.com/opentofu/opentofu/cmd/tofu ;;
    kustomize-controller) echo github.com/fluxcd/kustomize-controller ;;
    gitops-agent) echo github.com/argoproj/argo-cd/gitops-engine/agent ;;
    external-secrets) echo github.com/external-secrets/external-secrets ;;
    cert-manager) echo management-apiserver/hack/tools/certmanager ;;
    *) echo "k8s.io/kubernetes/cmd/${1%-1.30}" ;;
  esac
}

# tags_of MODULE -> build tags: without the cloud providers that releases before 1.31 have built in
tags_of() {
  case "$1" in
    *-1.30) echo providerless ;;
  esac
}

# ldflags_of MODULE -> linker flags that give its programs the version that is pinned (run inside the module)
ldflags_of() {
  case "$1" in
    */kubernetes* | */clients)
      local version minor package flags='-s -w'
      version=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
      minor=${version#v1.}
      for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
        flags+=" -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=${minor%%.*}"
        flags+=" -X $package.gitTreeState=clean"
      done
      if [[ $1 == */clients ]]; then
        flags+=" -X helm.sh/helm/v4/internal/version.version=$(go list -m -f '{{.Version}}' helm.sh/helm/v4)"
      fi
      echo "$flags"
      ;;
    *) echo '-s -w' ;;
  esac
}

# installed_version NAME -> x.y.z of the program on PATH, empty when there is none
installed_version() {
  case "$1" in
    etcd) etcd --version 2>/dev/null | sed -n 's/^etcd Version: *//p' ;;
    kubectl) kubectl version --client 2>/dev/null | sed -n 's/^Client Version: *v\([0-9.]*\).*/\1/p' ;;
    helm) helm version --short 2>/dev/null | sed -n 's/^v\([0-9.]*\).*/\1/p' ;;
  esac || true
}

# Oldest versions that do: etcd below 3.5.13 answers watch progress requests wrongly; kubectl within the tested skew; Helm 3 prints
# other things.
oldest_of() {
  case "$1" in
    etcd) echo 3.5.13 ;;
    kubectl) echo 1.32.0 ;;
    helm) echo 4.0.0 ;;
  esac
}

installed_will_do() {
  local have oldest
  oldest=$(oldest_of "$1")
  have=$(installed_version "$1")
  [[ -n "$oldest" && -n "$have" ]] || return 1
  [[ "$(printf '%s\n%s\n' "$oldest" "$have" | sort -V | head -n 1)" == "$oldest" ]]
}

# pins_of MODULE -> a checksum of what decides its programs: versions, and sources that are no list of imports
pins_of() {
  (cd "$root/$1" && find . -name go.mod -o -name go.sum -o -name '*.go' ! -name tools.go | sort | xargs cat) | cksum
}

# cached NAME -> where it is kept, built from its pins
cached() {
  echo "$cache/$1-$(pins_of "$(module_of "$1")" | tr ' ' -)"
}

# take NAME: the program from the cache
take() {
  local from
  from=$(cached "$1")
  [[ -x $from ]] || return 1
  touch --no-create "$from"
  cp --force "$from" "$bin/$1"
  pins_of "$(module_of "$1")" >"$bin/.$1.pins"
}

# keep NAME: the program in the cache. Not having it there costs time only.
keep() {
  local to
  to=$(cached "$1")
  mkdir -p "$cache" && cp "$bin/$1" "$to.$$" && mv "$to.$$" "$to" || return 0
  find "$cache" -type f -mtime "+$CACHE_DAYS" -delete || true
}

up_to_date() {
  [[ -x "$bin/$1" && -f "$bin/.$1.pins" && "$(cat "$bin/.$1.pins")" == "$(pins_of "$(module_of "$1")")" ]]
}

# The toolchain that a Go too old to switch by itself (before 1.21, as in Debian 12) is replaced with.
toolchain="go1.26.8.$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')"

# Go on PATH, or from the distribution. One of 1.21 or newer fetches the version that the pins ask for itself.
have_go() {
  export GOTOOLCHAIN="${GOTOOLCHAIN:-auto}"
  [[ ! -x /usr/local/go/bin/go ]] || PATH="$PATH:/usr/local/go/bin"
  if ! command -v go >/dev/null; then
    command -v apt-get >/dev/null && [[ "$(id -u)" == 0 ]] || return 1
    echo 'obtain-tools: no Go on this machine, installing the distribution package' >&2
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends golang-go ca-certificates; } >&2 || return 1
  fi
  case "$(go env GOVERSION)" in
    go1.[0-9] | go1.[0-9].* | go1.1[0-9]* | go1.20*) newer_go ;;
  esac
}

# Fetches the toolchain as the Go module that it is published as, with its checksum verified, and puts it on PATH.
newer_go() {
  echo "obtain-tools: $(go env GOVERSION) is too old, fetching $toolchain" >&2
  local empty folder
  empty=$(mktemp -d)
  (cd "$empty" && go mod download "golang.org/toolchain@v0.0.1-$toolchain") >&2 || return 1
  rmdir "$empty"
  folder="$(go env GOMODCACHE)/golang.org/toolchain@v0.0.1-$toolchain"
  # A module has no executable bits.
  chmod -R u+w "$folder/bin" "$folder/pkg/tool" && chmod +x "$folder"/bin/* "$folder"/pkg/tool/*/* || return 1
  export PATH="$folder/bin:$PATH"
  unset GOROOT
  go version >&2
}

# build MODULE NAME...: all of them in one call, which compiles and links side by side
build() {
  local module=$1 name package new packages=() began=$SECONDS
  shift
  echo "obtain-tools: building $* as $module pins them: neither here nor in $cache" >&2
  for name in "$@"; do packages+=("$(package_of "$name")"); done
  new=$(mktemp -d "$bin/.new.XXXXXX")
  if ! (
    cd "$root/$module"
    CGO_ENABLED=0 go build -mod=readonly -p "${GO_BUILD_PROCS:-2}" -trimpath -tags "$(tags_of "$module")" \
      -ldflags "$(ldflags_of "$module")" -o "$new/" "${packages[@]}"
  ); then
    rm -rf "$new"
    return 1
  fi
  for name in "$@"; do
    package=$(package_of "$name")
    mv "$new/$(basename "${package%/v3}")" "$bin/$name"
    pins_of "$module" >"$bin/.$name.pins"
    keep "$name"
  done
  rmdir "$new"
  echo "obtain-tools: built $* in $((SECONDS - began)) s" >&2
}

# build_once MODULE NAME...: as build, but one at a time on this machine. Who waited takes what was built meanwhile.
build_once() (
  local module=$1 name stale=()
  shift
  if command -v flock >/dev/null && mkdir -p "$cache" && exec 9>"$cache/.${module//\//-}.lock"; then flock 9; fi
  for name in "$@"; do
    if ! up_to_date "$name" && ! take "$name"; then stale+=("$name"); fi
  done
  [[ ${#stale[@]} -eq 0 ]] || build "$module" "${stale[@]}"
)

accept_installed=false
if [[ "${1:-}" == --accept-installed ]]; then
  [[ ${CI:-} == true ]] || accept_installed=true
  shift
fi
names=("$@")
[[ ${#names[@]} -gt 0 ]] || names=("${all[@]}")
mkdir -p "$bin"

stale=()
for name in "${names[@]}"; do
  module_of "$name" >/dev/null
  up_to_date "$name" && continue
  if $accept_installed && installed_will_do "$name"; then
    echo "obtain-tools: $name $(installed_version "$name") is installed" >&2
    continue
  fi
  take "$name" && continue
  stale+=("$name")
done

missing=()
while [[ ${#stale[@]} -gt 0 ]]; do
  module=$(module_of "${stale[0]}")
  together=()
  others=()
  for name in "${stale[@]}"; do
    if [[ "$(module_of "$name")" == "$module" ]]; then together+=("$name"); else others+=("$name"); fi
  done
  if ! have_go || ! build_once "$module" "${together[@]}"; then missing+=("${together[@]}"); fi
  stale=(${others[@]+"${others[@]}"})
done

if [[ ${#missing[@]} -gt 0 ]]; then
  cat >&2 <<EOF

  *********************************************************************
  NOT AVAILABLE: ${missing[*]}
  They are built with Go (go.dev/dl, 1.21 or newer), see hack/tools.
  Install Go, or put the programs on PATH, and repeat. Tests that need
  them cannot run without them.
  *********************************************************************

EOF
  [[ "${CI:-}" != true ]] || exit 1
fi
