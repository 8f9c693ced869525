#!/usr/bin/env bash
# verify.sh [RESULT-FILE]: runs every hack/verify-*.sh, two at a time, the long ones first. What each writes is printed when it ends.
# RESULT-FILE gets `PASSED FAILED`, and a line for each script that failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

LONGEST=(hack/verify-{release,lint,docs,types}.sh)
JOBS=2

# Two scripts need it, and would build it at the same time.
make --silent --no-print-directory docs >/dev/null || true

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VERIFIED=$work

verify() {
  local name outcome=passed
  name=$(basename "$1")
  {
    echo "== $1"
    "$1" || outcome=failed
    [[ $outcome == passed ]] || echo "FAILED $1"
  } >"$VERIFIED/$name.log" 2>&1
  touch "$VERIFIED/$name.$outcome"
  flock "$VERIFIED" cat "$VERIFIED/$name.log"
}
export -f verify

scripts=(hack/verify-*.sh)
printf '%s\n' "${LONGEST[@]}" "${scripts[@]}" | awk '!seen[$0]++' |
  xargs --max-procs="$JOBS" -I{} bash -euo pipefail -c 'verify {}'

count() { find "$work" -name "*.$1" | wc -l; }
passed=$(count passed)
failed=$(find "$work" -name '*.failed' -printf 'FAILED hack/%f\n' | sed 's/\.failed$//')
if [[ -n ${1:-} ]]; then printf '%s\n' "$passed $((${#scripts[@]} - passed))" "$failed" >"$1"; fi
if [[ -n $failed ]]; then echo "$failed"; fi
((passed == ${#scripts[@]}))
