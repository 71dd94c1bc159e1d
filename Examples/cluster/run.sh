#!/usr/bin/env bash
# Starts a cluster of three primaries and three replicas on the loopback interface, publishes a feed, kills
# a primary, and reads on. Needs redis-server and redis-cli. Everything is in a temporary directory, and
# ends with the script.
#
#   Examples/cluster/run.sh [FEEDCORE]
set -euo pipefail

here=$(CDPATH='' cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
feedcore=${1:-$here/../../scripts/feedcore}
work=$(mktemp -d "${TMPDIR:-/tmp}/feedcore-cluster.XXXXXX")
ports=(17100 17101 17102 17103 17104 17105)
declare -A nodes
trap 'kill "${nodes[@]}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT

for port in "${ports[@]}"; do
  mkdir "$work/$port"
  redis-server --port "$port" --bind 127.0.0.1 --dir "$work/$port" --cluster-enabled yes \
    --cluster-node-timeout 1000 --save '' --repl-diskless-sync-delay 0 >"$work/$port/log" &
  nodes[$port]=$!
done
# has PORT TEXT COMMAND…: whether the reply of a node has a text.
has() {
  local port=$1 text=$2
  shift 2
  [[ $(redis-cli -p "$port" "$@" 2>/dev/null) == *"$text"* ]]
}

for port in "${ports[@]}"; do
  until has "$port" PONG ping; do
    kill -0 "${nodes[$port]}" 2>/dev/null || { cat "$work/$port/log" >&2; exit 1; }
    sleep 0.1
  done
done
redis-cli --cluster create "${ports[@]/#/127.0.0.1:}" --cluster-replicas 1 --cluster-yes >/dev/null
for port in "${ports[@]}"; do
  until has "$port" cluster_state:ok cluster info &&
    ! has "$port" master_link_status:down info replication; do
    sleep 0.1
  done
done
# A replica is listed once it has replicated something.
until [[ $(redis-cli -p 17101 cluster slots | grep -c '^171') -ge 6 ]]; do sleep 0.1; done

export FEEDCORE_STORE="redis-cluster://127.0.0.1:17100,127.0.0.1:17101,127.0.0.1:17102"
printf '== One host publishes\n'
XDG_CACHE_HOME=$work/first "$feedcore" ingest "$here/../universities.json"
printf '== Another host reads\n'
XDG_CACHE_HOME=$work/second "$feedcore" get universities 'Middle East Technical University'
printf '== A primary is killed\n'
kill -9 "${nodes[17100]}"
wait "${nodes[17100]}" 2>/dev/null || true
until has 17101 master,fail cluster nodes &&
  [[ $(redis-cli -p 17101 cluster nodes | grep -c 'master - ') -eq 3 ]] &&
  has 17101 cluster_state:ok cluster info; do
  sleep 0.1
done
XDG_CACHE_HOME=$work/second "$feedcore" get universities 'Middle East Technical University'
XDG_CACHE_HOME=$work/third "$feedcore" feeds
