#!/usr/bin/env bash
# A release is made twice, as two people would, the second time cut off from every network, and is the same to the last byte; its
# package is small, and starts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

MAX_FILES=260
MAX_BYTES=$((5 * 1000 * 1000))

# cut_off COMMAND...: runs it, as who it is here, in a network namespace that has no interface but a loopback that is down.
cut_off() {
  local itself=(setpriv --reuid "$(id -u)" --regid "$(id -g)" --clear-groups env "HOME=$HOME" "PATH=$PATH")
  if unshare --net true 2>/dev/null; then
    unshare --net "$@"
  elif unshare --map-root-user --net true 2>/dev/null; then
    unshare --map-root-user --net "$@"
  elif sudo --non-interactive unshare --net true 2>/dev/null; then
    sudo unshare --net "${itself[@]}" "$@"
  else
    echo 'verify-release: NOT CUT OFF from the network: it takes root, sudo or user namespaces' >&2
    [[ ${CI:-} != true ]] && "$@"
  fi
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
hack/obtain-runtime.sh
hack/release/release.sh --unless-made release >/dev/null
# Two people have the same gzip, which takes half of the CPU of a release.
export GZIPPED=$PWD/release/.gzipped
(umask 077 && cut_off env TZ=Asia/Tokyo LANG=C.UTF-8 NODE_ENV=test hack/release/release.sh "$folder/the other" >/dev/null)
if ! diff release/SHA256SUMS "$folder/the other/SHA256SUMS"; then
  echo 'verify-release: two releases of one commit differ' >&2
  exit 1
fi

unsummed=$(cd release && sha256sum --check --quiet --strict SHA256SUMS >&2 &&
  find . -maxdepth 1 -type f ! -name SHA256SUMS ! -name '.*' -printf '%P\n' | LC_ALL=C sort |
  diff - <(sed 's/^[0-9a-f]*  //' SHA256SUMS)) || {
  echo "verify-release: SHA256SUMS does not name the files of release/ as they are: ${unsummed:-see above}" >&2
  exit 1
}

version=$(node -p 'require("./package.json").version')
archive=release/management-apiserver-$version.tgz
files=$(tar tzf "$archive" | wc -l)
bytes=$(stat --format=%s "$archive")
if ((files > MAX_FILES || bytes > MAX_BYTES)); then
  echo "verify-release: the package has $files files and $bytes bytes; $MAX_FILES and $MAX_BYTES are allowed" >&2
  exit 1
fi

# With the packages that it depends on, and no others.
node hack/release/runtimepackages.mjs "$folder/the other/package"
for program in apiserver platform agent; do
  said=$(node "$folder/the other/package/dist/cmd/$program/main.js" --version)
  if [[ $said != "$version" ]]; then
    echo "verify-release: $program says that it is $said, not $version" >&2
    exit 1
  fi
done

# The one-file programs for this machine, with nothing of the machine.
case $(uname -m) in x86_64) machine=x64 ;; aarch64) machine=arm64 ;; *) machine=none ;; esac
for program in management-apiserver platform; do
  archive=release/$program-$version-linux-$machine.tar.gz
  if [[ ! -f $archive ]]; then continue; fi
  tar --extract --gzip --file="$archive" --directory="$folder" "$program"
  said=$(cd / && env -i "HOME=$folder/home" "$folder/$program" --version)
  if [[ $said != "$version" ]]; then
    echo "verify-release: the one-file program $program says that it is $said, not $version" >&2
    exit 1
  fi
done

# What the server loads when it is first asked for is in the package as well.
printf 'a-token,admin,admin,"system:masters"\n' >"$folder/tokens.csv"
node "$folder/the other/package/dist/cmd/apiserver/main.js" --secure-port=0 --data-dir="$folder/data" \
  --encryption-key-file="$folder/encryption.key" \
  --token-auth-file="$folder/tokens.csv" >"$folder/said" 2>"$folder/log" &
server=$!
url=
for ((tries = 0; tries < 300 && ${#url} == 0; tries++)); do
  sleep 0.2
  url=$(sed -n 's/^Serving on //p' "$folder/said")
done
status=$(curl --silent --insecure --output /dev/null --write-out '%{http_code}' \
  --header 'Authorization: Bearer a-token' "$url/metrics") || true
kill "$server" || true
wait "$server" || true
if [[ $status != 200 ]]; then
  echo "verify-release: the server of the package answers /metrics with $status" >&2
  cat "$folder/log" >&2
  exit 1
fi
echo "verify-release: two releases of $version are the same, one of them made without network; its package has $files files and $bytes bytes"
