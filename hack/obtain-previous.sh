#!/usr/bin/env bash
# Builds the programs of the previous release, whose commit is in hack/release/previous, into .tools/previous/COMMIT/dist, and
# prints that folder. A build that is there stays. The packages are those of this checkout where its package-lock.json has
# all of the release, as they were; `npm ci` obtains them otherwise. The console is not built.
#
# It takes the commit: a shallow clone does not have it. Then it says what to do; with CI=true that is a failure, otherwise the
# caller goes on without it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

pin=hack/release/previous
commit=$(grep -Ev '^(#|$)' "$pin") || true
if [[ ! $commit =~ ^[0-9a-f]{40}$ ]]; then
  echo "obtain-previous: $pin must have one line with the commit of the previous release, in full" >&2
  exit 1
fi
folder=$PWD/.tools/previous/$commit

# has_packages_of FOLDER: whether this checkout has all packages of that one, as they were there.
has_packages_of() {
  node -e '
    const packagesOf = (folder) => Object.entries(JSON.parse(require("fs").readFileSync(`${folder}/package-lock.json`)).packages);
    const own = new Map(packagesOf("."));
    const is = ([name, { integrity }]) => name === "" || own.get(name)?.integrity === integrity;
    process.exitCode = packagesOf(process.argv[1]).every(is) ? 0 : 1;
  ' "$1"
}

# Packages of this checkout are of use as long as it has the same ones.
is_there() {
  [[ -f $folder/dist/cmd/apiserver/main.js ]] || return 1
  [[ ! -L $folder/node_modules ]] || has_packages_of "$folder"
}
end_if_there() {
  if is_there; then
    echo "$folder/dist"
    exit 0
  fi
}
end_if_there

if ! git cat-file -e "$commit^{commit}" 2>/dev/null; then
  echo "obtain-previous: this clone lacks commit $commit ($pin): run \`git fetch --unshallow\`, or \`git fetch origin $commit\`" >&2
  [[ ${CI:-} != true ]]
  exit
fi

mkdir -p .tools/previous
exec 9>.tools/previous/.lock
flock 9
end_if_there
work=$(mktemp -d "$PWD/.tools/previous/building-XXXXXX")
trap 'rm -rf "$work"' EXIT
git archive "$commit" | tar --extract --directory="$work"
if has_packages_of "$work"; then
  ln -s "$PWD/node_modules" "$work/node_modules"
else
  (cd "$work" && npm ci --no-audit --no-fund --silent)
fi
(cd "$work" && node --input-type=module -e "import { bundle } from './hack/release/bundle.mjs'; await bundle('dist');") >&2
rm -rf "$folder"
mv "$work" "$folder"
echo "obtain-previous: built $commit" >&2
echo "$folder/dist"
