#!/usr/bin/env bash
# release.sh [--unless-made] [OUT]: all that is released, in OUT (release/): the npm packages, the image, the charts, the one-file
# programs, the Debian package, the licences, a list of what they rest on, checksums. Needs what `npm ci`, `make docs` and hack/obtain-runtime.sh obtained, and
# no network. The same commit gives the same bytes. With --unless-made what OUT has of the same commit and the same changes stays.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

unless_made=false
if [[ ${1:-} == --unless-made ]]; then
  unless_made=true
  shift
fi
out=$(realpath -m "${1:-release}")
mkdir -p "$out"
exec 9>"$out/.lock"
flock 9
# sources: the commit, and a sum of what was changed or added since.
sources() {
  git rev-parse HEAD &&
    { git diff HEAD --binary && git ls-files --others --exclude-standard -z | xargs -0 --no-run-if-empty sha256sum; } | sha256sum
}
made_of=$(sources 2>/dev/null || echo none)
if $unless_made && [[ $made_of != none && -f $out/.sources && $(cat "$out/.sources") == "$made_of" ]]; then exit 0; fi

find "$out" -mindepth 1 ! -name .lock -delete
umask 022
export LC_ALL=C TZ=UTC NODE_ENV=production
unset NODE_OPTIONS
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH
# Of what is large: tests take a release that is made in less time.
export GZIP_LEVEL=${GZIP_LEVEL:-6}
export GZIPPED=${GZIPPED:-$out/.gzipped}
mkdir -p "$GZIPPED"
version=$(node -p 'require("./package.json").version')

# step WHAT: what is made now. All of it takes minutes.
step() { echo "release: $1 (${SECONDS} s)" >&2; }

step 'the documentation'
make --silent --no-print-directory docs >&2
step 'the npm packages'
# The package has it inside, too.
hack/release/chart.sh helm-agent management-agent "$out/management-agent-chart-$version.tgz"
node hack/release/package.mjs "$out"
node hack/release/client.mjs "$out"
cp "$out/package/THIRD_PARTY_LICENSES.txt" "$out/licences.txt"

# licences_of_runtime: those of Node and of the libraries of the image, as they are said beside them.
licences_of_runtime() {
  local runtime=.tools/runtime/amd64 line name
  line=$(printf '=%.0s' {1..80})
  printf '\n%s\nNode, in the image, in the one-file programs and in the Debian package\n\n' "$line"
  cat "$runtime/nodejs/LICENSE"
  for name in gcc-12-base libc6; do
    printf '\n%s\n%s and what is made of the same sources, in the image\n\n' "$line" "$name"
    dpkg-deb --fsys-tarfile "$runtime/debian/${name}"_*.deb | tar --extract --to-stdout "./usr/share/doc/$name/copyright"
  done
}

digest=
if [[ -f .tools/runtime/.pins ]] && command -v dpkg-deb >/dev/null; then
  licences_of_runtime >>"$out/licences.txt"
  step 'the image'
  digest=$(node hack/release/image.mjs "$out")
else
  echo 'release: NO image, and a chart that names none: they take dpkg-deb, and what hack/obtain-runtime.sh obtains' >&2
fi

step 'the charts'
hack/release/chart.sh helm management-apiserver "$out/management-apiserver-chart-$version.tgz" "$digest"
node hack/release/charts.mjs "$out"

if [[ -f .tools/runtime/.pins && $(uname -s) == Linux ]]; then
  step 'the one-file programs'
  node hack/release/executables.mjs "$out"
else
  echo 'release: NO one-file programs: they take Linux, and what hack/obtain-runtime.sh obtains' >&2
fi

if [[ -f .tools/runtime/.pins ]] && command -v dpkg-deb >/dev/null; then
  step 'the Debian package'
  hack/release/debian.sh "$out"
else
  echo 'release: NO Debian package: it takes dpkg-deb, and what hack/obtain-runtime.sh obtains' >&2
fi

(cd "$out" && find . -maxdepth 1 -type f ! -name SHA256SUMS ! -name '.*' -printf '%P\n' | sort | xargs sha256sum >SHA256SUMS)
echo "$made_of" >"$out/.sources"
echo "release: version $version in $out"
