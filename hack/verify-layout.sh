#!/usr/bin/env bash
# No folder holds more than 25 source files (ARCHITECTURE.md). Tests that lie beside the code are not counted; those of test/ are.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

MOST=25

failed=0
folders=0
while read -r count folder; do
  folders=$((folders + 1))
  if ((count > MOST)); then
    echo "verify-layout: $folder has $count source files, $MOST are allowed: find the second thing that it holds" >&2
    failed=1
  fi
done < <(git ls-files -- 'api/**.ts' 'cmd/**.ts' 'cmd/**.tsx' 'pkg/**.ts' 'hack/bench/**.ts' 'test/**.ts' |
  grep -vE '^(api|cmd|pkg|hack)/.*\.test\.ts$' | xargs -n1 dirname | sort | uniq -c)
((folders > 0)) || { echo 'verify-layout: found no folder' >&2; exit 1; }
((failed == 0)) || exit 1
echo "verify-layout: $folders folders hold at most $MOST source files each"
