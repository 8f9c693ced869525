#!/usr/bin/env bash
# Measures this server and, where `make tools` built them, its peers; `hack/bench/run.sh --help` lists the options.
#
#   hack/bench/run.sh aggregated [--quick] [--rounds N] [--only REGEX] [--out FILE]
#
# measures it behind the aggregator of kube-apiserver beside sample-apiserver, for which all of these must be there.
#
#   hack/bench/run.sh host [--quick] [--rounds N] [--set CHART_VALUE]
#
# measures what a SharedSecret that is created through kube-apiserver costs that, beside a ConfigMap.
#
#   hack/bench/run.sh idle [--quick] [--objects N] [--seconds N]
#
# measures what two servers behind a kube-apiserver take while nobody asks them anything, and their memory.
#
#   hack/bench/run.sh host-objects [--quick] [--rounds N] [--objects N] [--shared N]
#
# measures what ConfigMaps cost a kube-apiserver behind which the server holds many objects (100,000), beside one with none, and
# fails where that is more. --shared: so many of them have an access rule. It takes five to eight minutes.
#
#   hack/bench/run.sh agent [--quick] [--rounds N]
#
# measures what the agent of a connected cluster adds to requests to its kube-apiserver, at its port and through its tunnel, beside
# a proxy in Go that does nothing else (hack/obtain-tools.sh reverseproxy).
#
#   hack/bench/run.sh gate --base FOLDER [--rounds N] [--only REGEX] [--quick]
#
# compares the build with that of another checkout, both in turns, and fails where an operation costs 10% more CPU; with --quick,
# which CI runs, some rows, and only where they cost 50% more.
#
#   hack/bench/run.sh store-writes [--rounds N] [--seconds N] [--writers N] [--folder FOLDER]
#
# compares writes straight to the embedded store with writes to an etcd on the same disk, in turns, and fails where its p99 is more
# than twice that of etcd.
#
#   hack/bench/run.sh backup-load [--engine embedded|etcd] [--objects N] [--seconds N] [--folder FOLDER]
#
# times a backup of 100,000 objects under load, and tells p50 and p99 of the others before and meanwhile.
#
#   hack/bench/run.sh encryption [--engine embedded|etcd] [--rounds N] [--pairs N] [--most MICROSECONDS]
#
# measures what encryption at rest costs a create, in microseconds of CPU, and fails where that is more than 15.
#
#   hack/bench/run.sh overload [--engines embedded,etcd] [--protocols 2,1] [--times 3] [--rounds N] [--seconds N]
#
# finds the load that a server takes, offers three times as much, and fails where what it still answers falls below 80% of the best, or
# where probes or an administrator wait for more than 100 ms (p99).
#
#   hack/bench/run.sh long-run [--duration 1h] [--rate N] [--out FOLDER]
#
# makes and ends keys, secrets and watches at a steady rate, and fails where memory, files or handles grow.
#
#   hack/bench/run.sh scale [--objects N,N,...] [--out FOLDER]
#
# measures a server with ever more objects: its start, its memory, and what requests cost.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

program=dist/hack/bench/main.js
tools=(etcd kube-apiserver)
if [[ ${1:-} =~ ^(agent|aggregated|host|host-objects|idle)$ ]]; then
  if [[ " $* " == *' --help '* ]]; then
    sed -n '/^set /q; 2,$s/^# \?//p' hack/bench/run.sh
    exit
  fi
  case $1 in
    agent)
      program=dist/bench/hack/bench/aggregated/agent.js
      tools+=(reverseproxy)
      ;;
    aggregated) program=dist/bench/hack/bench/aggregated/main.js ;;
    host) program=dist/bench/hack/bench/aggregated/hostcost.js ;;
    host-objects) program=dist/bench/hack/bench/aggregated/hostobjects.js ;;
    idle) program=dist/bench/hack/bench/aggregated/idle.js ;;
  esac
  shift
  tools+=(kube-controller-manager sample-apiserver)
  export PATH="$PWD/.tools/bin:$PATH" DIST="$PWD/dist" CHART="$PWD/deploy/helm"
  # The server as it is released, where that is built (make dist/bundle/.built), with the memory that images give it.
  if [[ -f dist/bundle/cmd/apiserver/main.js ]]; then DIST="$PWD/dist/bundle"; fi
  if [[ $program != */agent.js ]]; then export NODE_OPTIONS="${NODE_OPTIONS:-} --max-semi-space-size=16"; fi
fi
if [[ ${1:-} =~ ^(backup-load|encryption|gate|long-run|overload|scale|store-writes)$ ]]; then
  program=dist/hack/bench/${1/-/}/main.js
  tools=()
  shift
fi
target=build
if [[ $program == dist/bench/* ]]; then target=dist/bench/.built; fi
for file in "$program" dist/cmd/apiserver/main.js; do
  if [[ ! -f $file ]]; then
    echo "bench: $file is not built; run make $target" >&2
    exit 1
  fi
done
if [[ ! -r /proc/self/stat ]]; then
  echo 'bench: server CPU is read from /proc, which only Linux has' >&2
  exit 1
fi
for tool in "${tools[@]}"; do
  if [[ ! -x .tools/bin/$tool ]] && ! command -v "$tool" >/dev/null; then
    echo "bench: $tool is not installed (make tools); what needs it is left out" >&2
  fi
done
# 500 watches are 500 connections on both sides.
ulimit -n "$(ulimit -Hn)"
exec node "$program" "$@"
