#!/usr/bin/env bash
# chart.sh FOLDER NAME FILE [DIGEST]: writes the chart deploy/FOLDER, of that NAME, as the archive FILE, the same on every machine. With
# DIGEST its values name the image by it. SOURCE_DATE_EPOCH is the time of what is in it, 0 where it is not set.
set -euo pipefail

file=$(realpath -m "$3")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "deploy/$1" "$work/$2"
if [[ -n ${4:-} ]]; then sed -i "s/^  digest: ''$/  digest: $4/" "$work/$2/values.yaml"; fi
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-0}
hack/release/pack.sh "$work" --exclude-from=deploy/helm/.helmignore --exclude=.helmignore "$2" | gzip --no-name --best >"$file"
