#!/usr/bin/env bash
# No folder holds more than 25 source files. Tests that lie beside the code are not counted; those of test/ are.
# Names of source files are lower case words, run together or joined by hyphens, and say something.
# The README.md of a folder has at most 30 lines: what it is for, what to read first, what may be changed without asking others.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

MOST=25
MOST_LINES=30

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

# misnamed: of the paths that it reads those with a wrong name, or one that says nothing. What tests share is in a folder testing/,
# which is not compiled.
misnamed() {
  grep -vP '(^|/)[a-z][a-z0-9]*(-[a-z0-9]+)*(\.[a-z]+)*\.(ts|tsx|js|mjs)$|^$' <<<"$1" || true
  grep -P '(^|/)(utils?|helpers?|common|misc|managers?)(/|\.)|(^|/)testing\.' <<<"$1" || true
}
for canary in hack/BadName.mjs hack/utils.mjs pkg/common/a.ts hack/testing.mjs; do
  [[ $(misnamed "$canary") == "$canary" ]] || { echo "verify-layout: takes $canary for a name" >&2; exit 1; }
done
wrong=$(misnamed "$(git ls-files -- '*.ts' '*.tsx' '*.js' '*.mjs' ':!test/conformance')")
if [[ -n $wrong ]]; then
  echo "verify-layout: names that are not lower case words, or say nothing: $wrong" >&2
  failed=1
fi

# toolong FILE...: those with more lines than a README.md may have.
toolong() { awk -v most="$MOST_LINES" 'FNR == most + 1 { print FILENAME }' "$@"; }
[[ -n $(toolong <(seq $((MOST_LINES + 1)))) && -z $(toolong <(seq "$MOST_LINES")) ]] ||
  { echo 'verify-layout: does not count the lines of a README.md' >&2; exit 1; }
mapfile -t readmes < <(git ls-files -- 'cmd/**README.md' 'pkg/**README.md' hack/README.md test/README.md)
((${#readmes[@]} > 0)) || { echo 'verify-layout: found no README.md' >&2; exit 1; }
wrong=$(toolong "${readmes[@]}")
if [[ -n $wrong ]]; then
  echo "verify-layout: more than $MOST_LINES lines, the rest belongs into comments of the code: $wrong" >&2
  failed=1
fi
((failed == 0)) || exit 1
echo "verify-layout: $folders folders hold at most $MOST source files each, ${#readmes[@]} README.md at most $MOST_LINES lines"
