#!/usr/bin/env bash
# A release is made twice, as two people would, and is the same to the last byte; its package is small, and starts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

MOST_FILES=200
MOST_BYTES=$((5 * 1000 * 1000))

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
hack/obtain-runtime.sh
hack/release/release.sh --unless-made release >/dev/null
(umask 077 && TZ=Asia/Tokyo LANG=C.UTF-8 NODE_ENV=test hack/release/release.sh "$folder/the other" >/dev/null)
if ! diff release/SHA256SUMS "$folder/the other/SHA256SUMS"; then
  echo 'verify-release: two releases of one commit differ' >&2
  exit 1
fi

version=$(node -p 'require("./package.json").version')
archive=release/management-apiserver-$version.tgz
files=$(tar tzf "$archive" | wc -l)
bytes=$(stat --format=%s "$archive")
if ((files > MOST_FILES || bytes > MOST_BYTES)); then
  echo "verify-release: the package has $files files and $bytes bytes; $MOST_FILES and $MOST_BYTES are allowed" >&2
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
echo "verify-release: two releases of $version are the same, $files files and $bytes bytes in its package"
