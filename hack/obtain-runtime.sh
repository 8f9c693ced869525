#!/usr/bin/env bash
# Puts into .tools/runtime/amd64 and .tools/runtime/arm64 what the image is made of besides the bundle, each by the
# checksum that is pinned here:
#
#   nodejs/          Node: the npm packages of hack/tools/node24
#   node_modules/    the packages that are not part of the bundle: package-lock.json
#   postject/        puts programs into Node: the npm package that hack/tools/node24 pins, too
#   debian/          Debian's packages of the libraries that Node is linked to: hack/release/debian-packages.txt
#
# It takes apt. Debian's packages come from the mirror that this machine has its own from; elsewhere DEBIAN_MIRROR names one.
# What cannot be had is named loudly; with CI=true that is a failure, otherwise the caller goes on without it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

runtime=.tools/runtime
packages=hack/release/debian-packages.txt
pins=$(cat package-lock.json hack/tools/node24/package-lock.json "$packages" hack/release/bundle.mjs "${BASH_SOURCE[0]}" | cksum)

# fetch_debian PATH CHECKSUM FILE: from the first mirror that has it
fetch_debian() {
  local mirror
  local said=''
  for mirror in $mirrors; do
    if said+=$(/usr/lib/apt/apt-helper -o APT::Sandbox::User=root download-file "${mirror%/}/$1" "$3" "SHA256:$2" 2>&1); then
      return
    fi
  done
  printf '%s\n' "$said" >&2
  echo "obtain-runtime: no mirror has $1 (hack/release/pin-debian.sh pins the newest; DEBIAN_MIRROR names another mirror)" >&2
  return 1
}

# obtain ARCHITECTURE NODE_ARCHITECTURE FOLDER
obtain() {
  local folder=$3 checksum path
  local npm_ci=(npm ci --ignore-scripts --no-audit --no-fund --silent --omit=dev --prefer-offline
    --os=linux --cpu="$2" --libc=glibc)
  mkdir -p "$folder/debian" "$folder/node24"
  cp hack/tools/node24/{package.json,package-lock.json,.npmrc} "$folder/node24"
  (cd "$folder/node24" && "${npm_ci[@]}")
  mv "$folder/node24/node_modules/node-linux-$2" "$folder/nodejs"
  mkdir "$folder/postject"
  mv "$folder/node24/node_modules" "$folder/postject"
  rm -rf "$folder/node24" "$folder/nodejs/include" "$folder/nodejs/share"
  node hack/release/manifest.mjs "$folder"
  (cd "$folder" && "${npm_ci[@]}")
  while read -r checksum path; do
    fetch_debian "$path" "$checksum" "$folder/debian/$(basename "$path")" || return 1
  done < <(grep "_$1\.deb$" "$packages")
}

if [[ -f $runtime/.pins && $(cat "$runtime/.pins") == "$pins" ]]; then exit 0; fi
mirrors=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | sort -ru)} || true
mkdir -p .tools
new=$(mktemp -d .tools/.runtime.XXXXXX)
trap 'rm -rf "$new"' EXIT
if [[ -x /usr/lib/apt/apt-helper ]] && obtain amd64 x64 "$new/amd64" && obtain arm64 arm64 "$new/arm64"; then
  echo "$pins" >"$new/.pins"
  chmod 755 "$new"
  rm -rf "$runtime"
  mv "$new" "$runtime"
  exit 0
fi
echo 'obtain-runtime: NOT AVAILABLE: what the image and the one-file programs are made of' >&2
[[ ${CI:-} != true ]] || exit 1
