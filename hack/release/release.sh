#!/usr/bin/env bash
# release.sh [OUT]: all that is released, in OUT (release/): the npm package, the charts, the Debian package, the licences, a list of
# what they rest on, checksums. Needs what `npm ci` installed and no network. The same commit gives the same bytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

out=$(realpath -m "${1:-release}")
rm -rf "$out"
mkdir -p "$out"
umask 022
export LC_ALL=C TZ=UTC
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH
version=$(node -p 'require("./package.json").version')

# packed ARCHIVE FOLDER MEMBER...: with nothing in it that differs from machine to machine.
packed() {
  local archive=$1 folder=$2
  shift 2
  tar --create --sort=name --format=ustar --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --mode='u=rwX,go=rX' --directory="$folder" "$@" | gzip --no-name --best >"$archive"
}

node hack/release/package.mjs "$out"
cp "$out/package/THIRD_PARTY_LICENSES.txt" "$out/licences.txt"

# chart_archive NAME FOLDER: the chart deploy/FOLDER, whose archive begins NAME.
chart_archive() {
  packed "$out/$1-$version.tgz" deploy --exclude-from=deploy/helm/.helmignore --exclude=.helmignore \
    --transform="s,^$2,${1%-chart}," "$2"
}
chart_archive management-apiserver-chart helm
chart_archive management-agent-chart helm-agent

if [[ $(uname -sm) == 'Linux x86_64' ]] && command -v dpkg-deb >/dev/null; then
  hack/release/debian.sh "$out"
else
  echo 'release: NO Debian package: it takes dpkg-deb, and the native packages for Linux on x86-64' >&2
fi

(cd "$out" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum >SHA256SUMS)
echo "release: version $version in $out"
