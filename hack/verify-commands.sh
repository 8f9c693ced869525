#!/usr/bin/env bash
# The two commands of README.md work one after the other in a fresh clone, as a newcomer gives them: the first serves until it is stopped,
# the second runs the tests, beside the state that the first has left.
#
#   hack/verify-commands.sh [--here]      (--here: in this checkout, which is fresh where CI runs it; else in a clone of HEAD)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
server=
end() {
  if [[ -n $server ]]; then kill -- "-$server" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap end EXIT
if [[ ${1:-} != --here ]]; then
  git clone --quiet . "$work/clone"
  cd "$work/clone"
fi

mapfile -t commands < <(sed -n '/^## Build from source/,/^## /p' README.md | sed -n '/^```console/,/^```/p' | grep '^make ' | sed 's/ *#.*//')
if [[ ${#commands[@]} != 2 ]]; then
  echo "verify-commands: 'Build from source' of README.md must have two commands, not: ${commands[*]}" >&2
  exit 1
fi

port=$(node -e 'const s = require("net").createServer().listen(0, () => { console.log(s.address().port); s.close(); });')
echo "verify-commands: ${commands[0]}"
# In a process group of its own, which is ended as a whole.
setsid bash -c "PORT=$port exec ${commands[0]}" >"$work/said" 2>&1 &
server=$!
for ((tries = 0; tries < 1500; tries++)); do
  if grep -q '^Serving on ' "$work/said" || ! kill -0 "$server" 2>/dev/null; then break; fi
  sleep 0.2
done
ready=$(curl --silent --insecure "https://127.0.0.1:$port/readyz" || true)
kill -TERM -- "-$server" 2>/dev/null || true
wait "$server" || true
server=
if [[ $ready != ok ]]; then
  cat "$work/said" >&2
  echo "verify-commands: '${commands[0]}' does not serve: /readyz answers '$ready'" >&2
  exit 1
fi
if [[ ! -d data/store ]]; then
  echo "verify-commands: '${commands[0]}' left no store in data/" >&2
  exit 1
fi

echo "verify-commands: ${commands[1]}"
if ! ${commands[1]}; then
  echo "verify-commands: '${commands[1]}' failed after '${commands[0]}'" >&2
  exit 1
fi
echo 'verify-commands: both commands of README.md work, one after the other'
