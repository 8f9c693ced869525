#!/usr/bin/env bash
# firstminutes.sh PACKAGE: what a team does first, in an empty folder, with nothing but Node and the packed package. Prints
# how long it took.
set -euo pipefail

package=$(realpath "$1")
folder=$(mktemp -d)
began=$SECONDS
server=
cleanup() {
  if [[ -n $server ]]; then kill "$server" 2>/dev/null && wait "$server" 2>/dev/null || true; fi
  rm -rf "$folder"
}
trap cleanup EXIT
cd "$folder"

npm install --prefix installed --global --prefer-offline --ignore-scripts --no-audit --no-fund --silent "$package"
# Nothing of whoever runs this is seen.
clean=(env -i "PATH=$folder/installed/bin:$PATH" "HOME=$folder/home" PLATFORM_KEYCHAIN=off)
mkdir home
"${clean[@]}" XDG_STATE_HOME="$folder/state" management-apiserver --secure-port 0 >served 2>log &
server=$!
for ((tries = 0; tries < 300; tries++)); do
  if grep -q '^Next' served; then break; fi
  kill -0 "$server" || { cat log >&2; exit 1; }
  sleep 0.1
done
cat served

platform() { "${clean[@]}" platform "$@"; }

platform --kubeconfig "$folder/state/management-apiserver/admin.kubeconfig" login
platform create user ada --email ada@example.com
platform create project web --display-name 'The website'
platform add member ada --project web
platform create project other
echo s3cret | platform set secret database.password --project web
echo hidden | platform set secret database.password --project other
platform create accesskey ci --project web --allow-cli --ttl 1h -o env >ci.env
platform get ca >ca.crt

# In the pipeline: two variables and a file.
job() { "${clean[@]}" HOME=/nonexistent PLATFORM_CA_FILE="$folder/ca.crt" bash -c 'set -a; . "$0"; set +a; exec platform "$@"' "$folder/ci.env" "$@"; }
[[ $(job get secret database.password --project web) == s3cret ]]
[[ $(job run --secret database --project web -- sh -c 'echo "$password"') == s3cret ]]
status=0
job get secret database.password --project other 2>refused || status=$?
[[ $status == 4 ]] || { cat refused >&2; exit 1; }

echo "firstminutes: done in $((SECONDS - began)) s"
