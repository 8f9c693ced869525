#!/usr/bin/env bash
# firstminutes.sh PACKAGE IMAGE: what a team does first, in an empty folder, with nothing but Node and the packed package, up to
# a pipeline that reads a secret in a container. IMAGE is the root file system of the image that is released, which the container
# runs. Prints how long it took. It takes root, for the container and its network.
set -euo pipefail

container=$(dirname "$(realpath "$0")")/pipelinecontainer.sh
package=$(realpath "$1")
image=$(realpath "$2")
folder=$(mktemp -d)
server=
machine=first-minutes-$$
network=pipeline-$$
cleanup() {
  if [[ -n $server ]]; then kill "$server" 2>/dev/null && wait "$server" 2>/dev/null || true; fi
  ip netns delete "$machine" 2>/dev/null || true
  ip netns delete "$network" 2>/dev/null || true
  rm -rf "$folder"
}
trap cleanup EXIT
cd "$folder"

# The network of the team's machine and that of the pipelines, by which they reach the server. Neither is this machine's: browsers
# end what they load when its addresses change.
address=198.19.0.1
ip netns add "$machine"
ip netns add "$network"
ip -n "$machine" link add pipelines type veth peer name eth0 netns "$network"
ip -n "$machine" link set lo up
ip -n "$machine" address add "$address/30" dev pipelines
ip -n "$machine" link set pipelines up
ip -n "$network" address add 198.19.0.2/30 dev eth0
ip -n "$network" link set eth0 up

began=$SECONDS
npm install --prefix installed --global --prefer-offline --ignore-scripts --no-audit --no-fund --silent "$package"
installed=$((SECONDS - began))
# Nothing of whoever runs this is seen.
clean=(nsenter "--net=/run/netns/$machine" env -i "PATH=$folder/installed/bin:$PATH" "HOME=$folder/home" PLATFORM_KEYCHAIN=off)
mkdir home
"${clean[@]}" XDG_STATE_HOME="$folder/state" management-apiserver --bind-address "$address" --secure-port 0 >served 2>log &
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

# A job of the pipeline: an image, two variables and a file.
job() {
  env -i "PATH=$PATH" PLATFORM_CA_FILE=/ca.crt bash --norc -c 'set -a; . "$0"; set +a; exec "$@"' "$folder/ci.env" \
    "$container" "$network" "$image" "$folder/ca.crt" "$@"
}
# is WANTED GOT
is() {
  [[ $2 == "$1" ]] || { echo "firstminutes: expected \"$1\" of the pipeline, not \"$2\"" >&2; exit 1; }
}
looks='[
  Object.keys(os.networkInterfaces()), process.pid, process.getuid(), fs.existsSync(process.argv[1]),
  ...Object.keys(process.env).filter((name) => !/^(PLATFORM_.*|PATH|HOME|PWD|OLDPWD|SHLVL|_)$/.test(name)),
].join()'
is eth0,1,65532,false "$(job node -p "$looks" "$folder")"
is s3cret "$(job platform get secret database.password --project web)"
is s3cret "$(job platform run --secret database --project web -- node -p process.env.password)"
status=0
job platform get secret database.password --project other 2>refused || status=$?
[[ $status == 4 ]] || { cat refused >&2; exit 1; }

echo "firstminutes: done in $((SECONDS - began)) s, $installed s of them for npm install, on Node $(node --version)"
