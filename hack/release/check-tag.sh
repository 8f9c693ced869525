#!/usr/bin/env bash
# check-tag.sh vX.Y.Z: the tag and all that is released have one version, and CHANGELOG.md says what is new. In a workflow of
# GitHub, the packages and the charts name its repository.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

version=$(node -p 'require("./package.json").version')
# agrees WHERE FOUND
agrees() {
  if [[ $2 != "$version" ]]; then
    echo "check-tag: $1 has the version \"$2\", and package.json \"$version\"" >&2
    exit 1
  fi
}

agrees 'the tag' "${1#v}"
while read -r file expression; do
  agrees "$file" "$(sed -nE "s/$expression/\1/p" "$file" | head -n 1)"
done <<'END'
pkg/server/version.ts ^export const SERVER_VERSION = '(.*)';$
deploy/helm/Chart.yaml ^version: (.*)$
deploy/helm/Chart.yaml ^appVersion: (.*)$
deploy/helm-agent/Chart.yaml ^version: (.*)$
deploy/helm-agent/Chart.yaml ^appVersion: (.*)$
deploy/ci/github/action.yml ^    default: ([0-9]+\..*)$
deploy/ci/gitlab.yml ^    MANAGEMENT_VERSION: (.*)$
END
hack/release/notes.sh "$version" >/dev/null

# npm refuses the provenance of another repository than the one that a package names.
if [[ -n ${GITHUB_REPOSITORY:-} ]]; then
  wanted="git+https://github.com/$GITHUB_REPOSITORY.git"
  named=$(node -p 'require("./package.json").repository?.url ?? ""')
  if [[ $named != "$wanted" ]]; then
    echo "check-tag: repository.url in package.json is \"$named\", and must be \"$wanted\"" >&2
    exit 1
  fi
  for chart in deploy/helm deploy/helm-agent; do
    home=$(sed -n 's/^home: //p' "$chart/Chart.yaml")
    if [[ $home != "https://github.com/$GITHUB_REPOSITORY" ]]; then
      echo "check-tag: home and sources of $chart/Chart.yaml must be \"https://github.com/$GITHUB_REPOSITORY\", not \"$home\"" >&2
      exit 1
    fi
  done
fi
