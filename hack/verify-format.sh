#!/usr/bin/env bash
# Every file is formatted as oxfmt would. Mended by hack/update-format.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! node_modules/.bin/oxfmt --check . >/dev/null; then
  echo 'verify-format: run hack/update-format.sh' >&2
  exit 1
fi
echo 'verify-format: all files are formatted'
