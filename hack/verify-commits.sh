#!/usr/bin/env bash
# Commit subjects are `area: imperative`, at most 72 characters (CONTRIBUTING.md). Older commits are left as they are.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The last commit before the rule.
SINCE=9c09c48ea6

since=$(git rev-parse --quiet --verify "$SINCE^{commit}" || true)
if [[ -z $since ]] || ! git merge-base --is-ancestor "$since" HEAD; then
  echo "verify-commits: the history from $SINCE on is not here; the last commit alone is checked"
  since=HEAD~1
  git rev-parse --quiet --verify "$since" >/dev/null || since=
fi

failed=0
count=0
while IFS=$'\t' read -r id subject; do
  count=$((count + 1))
  if ((${#subject} > 72)); then
    echo "verify-commits: $id has ${#subject} characters in its subject, 72 are allowed: $subject" >&2
    failed=1
  fi
  if ! [[ $subject =~ ^[a-z][a-z0-9/._-]*(,\ [a-z0-9/._-]+)*:\ [a-zA-Z] ]]; then
    echo "verify-commits: $id does not begin with an area (\`storage/etcd: batch commits\`): $subject" >&2
    failed=1
  fi
done < <(git log --no-merges --format='%h%x09%s' "${since:+$since..}HEAD")
((failed == 0)) || exit 1
echo "verify-commits: $count subjects are in order"
