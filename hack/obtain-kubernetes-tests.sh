#!/usr/bin/env bash
# Builds Kubernetes' own tests of its API machinery into .tools/kubernetestests, from the release that hack/tools/kubernetestests pins:
# two of its packages start servers, and are replaced by those there, which ask the suite for one (test/kubernetes).
# What is up to date is left.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

MODULE=hack/tools/kubernetestests
TO=.tools/kubernetestests
# Below test/integration; the others take what notrun.json of test/kubernetes says.
PACKAGES=(apiserver apiserver/apply apiserver/discovery)

pins=$(find "$MODULE" hack/obtain-kubernetes-tests.sh -type f | sort | xargs cat | cksum)
if [[ -f $TO/pins && $(<"$TO/pins") == "$pins" ]]; then exit 0; fi
rm -rf "$TO"
mkdir -p "$TO"

version=$(sed -n 's/^\tk8s.io\/kubernetes //p' "$MODULE/go.mod")
from=$(cd "$MODULE" && GOWORK=off go mod download -json "k8s.io/kubernetes@$version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
cp -r --no-preserve=mode "$from" "$TO/source"
rm -rf "$TO"/source/{go.work,go.work.sum,vendor,cmd/kube-apiserver/app/testing/*_test.go,test/integration/framework/goleak.go}
cp "$MODULE/testserver/testserver.go" "$TO/source/cmd/kube-apiserver/app/testing/testserver.go"
cp "$MODULE/framework/framework.go" "$TO/source/test/integration/framework/test_server.go"
cp -r "$TO/source/api/openapi-spec/v3" "$TO/openapi"
(cd "$TO/source/test/integration" && grep -rl '^func Test' --include='*_test.go' apiserver | xargs -n 1 dirname | sort -u) \
  | sed 's/^apiserver\///' >"$TO/packages"
# build NAME PACKAGE
build() {
  echo "obtain-kubernetes-tests: building $1"
  (cd "$MODULE" && GOWORK=off go test -c -o "../../../$TO/$1.test" "$2")
}
for package in "${PACKAGES[@]}"; do
  build "${package#apiserver/}" "k8s.io/kubernetes/test/integration/$package"
done
build e2e ./e2e
rm -rf "$TO/source"
echo "$pins" >"$TO/pins"
