#!/usr/bin/env bash
# pipelinecontainer.sh NETWORK ROOT AUTHORITY PROGRAM ARGUMENT...: runs a program as a container does, without an engine. It sees
# ROOT alone, the root file system of the image that is released, read-only, with the file AUTHORITY as /ca.crt; of the machine
# it has /dev/null. It has processes, a host name, and the network namespace NETWORK of its own, and is nobody's but user 65532.
# Variables are passed on, but for PATH and HOME, which are those of the image. It takes root.
set -euo pipefail

network=$1 root=$2 authority=$3
shift 3
mkdir -p "$root/proc" "$root/dev"
touch "$root/dev/null" "$root/ca.crt"

# $1 is the root folder, $2 the file of the authority; what follows is run.
enter='
root=$1 authority=$2; shift 2
setpriv=$(command -v setpriv) unshare=$(command -v unshare)
hostname pipeline
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --bind /dev/null "$root/dev/null"
mount --bind "$authority" "$root/ca.crt"
mount -o remount,bind,ro "$root/ca.crt"
mount -o remount,bind,ro "$root"
export PATH=/usr/local/bin:/nodejs/bin HOME=/home/nonroot
exec "$setpriv" --no-new-privs --clear-groups --inh-caps=-all --bounding-set=-all,+sys_chroot,+setuid,+setgid \
  "$unshare" --root="$root" --wd=/app --setgid=65532 --setuid=65532 "$@"
'
exec nsenter --net="/run/netns/$network" \
  unshare --mount --propagation=private --pid --fork --kill-child --ipc --uts sh -euc "$enter" container "$root" "$authority" "$@"
