#!/usr/bin/env bash
# verify.sh [--quick | --rest] [RESULT-FILE]: runs every hack/verify-*.sh, two at a time, the long ones first. What each writes is printed
# when it ends. RESULT-FILE gets `PASSED FAILED`, and a line for each script that failed.
#
# --quick   those that take seconds and no build
# --rest    the others
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

QUICK=(lint types methods unused format cycles layers casts commits kinds layout links lockfiles words)
LONGEST=(release docs)
JOBS=2

which=all
case ${1:-} in --quick | --rest) which=${1#--} && shift ;; esac

mapfile -t all < <(printf '%s\n' hack/verify-*.sh | sed 's#hack/verify-##; s#\.sh$##')
case $which in
  all) names=("${LONGEST[@]}" "${all[@]}") ;;
  quick) names=("${QUICK[@]}") ;;
  # .ci/run has run `commands` in its own clone.
  rest) mapfile -t names < <(printf '%s\n' "${LONGEST[@]}" "${all[@]}" | grep -vxF -f <(printf '%s\n' "${QUICK[@]}" commands)) ;;
esac
mapfile -t names < <(printf '%s\n' "${names[@]}" | awk '!seen[$0]++')

# Two scripts need it, and would build it at the same time.
[[ $which == quick ]] || make --silent --no-print-directory docs >/dev/null || true

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VERIFIED=$work

verify() {
  local outcome=passed began=$SECONDS
  {
    echo "== hack/verify-$1.sh"
    "hack/verify-$1.sh" || outcome=failed
    [[ $outcome == passed ]] || echo "FAILED hack/verify-$1.sh"
    echo "   $((SECONDS - began)) s"
  } >"$VERIFIED/$1.log" 2>&1
  touch "$VERIFIED/$1.$outcome"
  flock "$VERIFIED" cat "$VERIFIED/$1.log"
}
export -f verify

printf '%s\n' "${names[@]}" | xargs --max-procs="$JOBS" -I{} bash -euo pipefail -c 'verify {}'

# failure NAME: the script, the last line that it wrote before, and how to repeat it.
failure() {
  echo "FAILED hack/verify-$1.sh: $(grep -vE '^(FAILED|   [0-9]+ s|$)' "$work/$1.log" | tail -n 1 | cut -c 1-160) | hack/verify-$1.sh"
}

count() { find "$work" -name "*.$1" | wc -l; }
passed=$(count passed)
failed=$(for log in "$work"/*.failed; do [[ ! -e $log ]] || failure "$(basename "$log" .failed)"; done)
if [[ -n ${1:-} ]]; then printf '%s\n' "$passed $((${#names[@]} - passed))" "$failed" >"$1"; fi
if [[ -n $failed ]]; then echo "$failed"; fi
((passed == ${#names[@]}))
