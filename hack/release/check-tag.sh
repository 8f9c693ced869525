#!/usr/bin/env bash
# check-tag.sh vX.Y.Z: the tag, the package, the server and the chart have one version, and CHANGELOG.md says what is new.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

tag=$1
version=$(node -p 'require("./package.json").version')
server=$(sed -n "s/^export const SERVER_VERSION = '\(.*\)';$/\1/p" pkg/server/version.ts)
chart=$(sed -n 's/^version: //p' deploy/helm/Chart.yaml)
for other in "$tag" "v$server" "v$chart"; do
  if [[ $other != "v$version" ]]; then
    echo "check-tag: $other is not v$version: the tag, package.json, pkg/server/version.ts and Chart.yaml must agree" >&2
    exit 1
  fi
done
hack/release/notes.sh "$version" >/dev/null
