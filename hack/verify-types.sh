#!/usr/bin/env bash
# The type checker accepts the whole project, tests and benches included, and has really seen them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tsc() { node_modules/typescript7/bin/tsc --checkers 1 "$@"; }

files() {
  for project in tsconfig.json cmd/console/tsconfig.json; do
    tsc -p "$project" --listFilesOnly
  done | grep -v /node_modules/ | sort -u
}
seen=$(files | wc -l)
written=$({ find api cmd pkg test hack/bench \( -name '*.ts' -o -name '*.tsx' \) -not -name '*.d.ts' 2>/dev/null || true; } | wc -l)
if ((written == 0 || seen < written)); then
  echo "verify-types: tsconfig.json covers $seen of $written TypeScript files" >&2
  exit 1
fi
tsc -p tsconfig.json
tsc -p cmd/console/tsconfig.json
# Compiles a part of the same files alone, which may lack a declaration that the whole has.
tsc --noEmit -p hack/bench/aggregated/tsconfig.json
echo "verify-types: $seen files have sound types"
