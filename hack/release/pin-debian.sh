#!/usr/bin/env bash
# pin-debian.sh: writes debian-packages.txt anew, with the newest versions that the sources of this machine, of Debian 12,
# have. apt verifies them by the signatures of Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
options=(-q -o "Dir::State::lists=$state/lists" -o "Dir::Cache=$state/cache" -o APT::Sandbox::User=root
  -o APT::Architecture=amd64 -o APT::Architectures::=amd64 -o APT::Architectures::=arm64)
apt-get "${options[@]}" update >&2
{
  sed -n '/^#/p' debian-packages.txt
  for architecture in amd64 arm64; do
    # gcc-12-base has the licence of two of them.
    for name in gcc-12-base libc6 libgcc-s1 libstdc++6; do
      apt-get "${options[@]}" download --print-uris "$name:$architecture"
    done
  done | sed -nE "s,^'[^']*/(pool/[^']*)' .* SHA256:([0-9a-f]{64})$,\2 \1,p" | sed 's/%2b/+/g' | LC_ALL=C sort -k 2
} >"$state/new"
mv "$state/new" debian-packages.txt
