#!/usr/bin/env bash
# Runs a gateway in the foreground, before the built-in stub or before UPSTREAM=http://host:port.
# Ctrl-C stops all of it. Settings: UPSTREAM, LISTEN, ADMIN (host:port), WORKERS, MODEL.
set -euo pipefail
cd "$(dirname "$0")/.."
program=build/release/slipstream
logs=build/logs
mkdir -p "$logs"
children=()

stop() {
  trap - EXIT
  trap '' INT TERM
  # The gateway first: its callers' answers still come from the stub.
  for ((i = ${#children[@]} - 1; i >= 0; i--)); do
    kill -TERM "${children[i]}" 2>/dev/null || true
    wait "${children[i]}" 2>/dev/null || true
  done
  rm -f "$logs"/*."$$.log"
  echo "stopped"
}
trap stop EXIT
trap 'exit 0' INT TERM

# Starts "$@" in the background, its output in the named log.
start() {
  local log="$logs/$1.$$.log"
  shift
  : >"$log"
  # A session of its own: Ctrl-C reaches this script alone, which then stops the gateway gently.
  setsid "$@" >>"$log" 2>&1 &
  children+=($!)
}

# Prints the address that follows the words $2 in log $1, as soon as it stands there.
address() {
  local log="$logs/$1.$$.log" pid=$3 found
  for _ in {1..200}; do
    found=$(sed -n "s/^$2 \([^ ]*:[0-9]*\).*/\1/p" "$log" | head -n 1)
    if [[ -n $found ]]; then echo "$found"; return; fi
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.05
  done
  echo "$1 did not start:" >&2
  cat "$log" >&2
  echo "Another address? LISTEN=127.0.0.1:8081 ADMIN=127.0.0.1:9091 make run" >&2
  return 1
}

if [[ -z ${UPSTREAM:-} ]]; then
  start stub "$program" stub --listen 127.0.0.1:0 --first-token 1s --interval 50ms --tokens 40
  stub=$(address stub "stub listening on" "${children[-1]}")
  UPSTREAM="http://$stub"
  echo "model stub  $UPSTREAM  (every token names its generation: c1t0 is call 1, token 0)"
fi

model=${MODEL:-$([[ $UPSTREAM == "http://${stub:-}" ]] && echo stub || echo YOUR-MODEL)}
start gateway "$program" serve --listen "${LISTEN:-127.0.0.1:8080}" --upstream "$UPSTREAM" \
  --admin "${ADMIN:-127.0.0.1:9090}" --workers "${WORKERS:-$(nproc)}"
gateway_pid=${children[-1]}
gateway=$(address gateway "listening on" "$gateway_pid")
admin=$(address gateway "admin on" "$gateway_pid")

cat <<END
gateway     http://$gateway  -> $UPSTREAM
admin       http://$admin/  (metrics, flights, explain, health)

Ask three times at once; the model runs once, and x-slipstream says who led:

  for i in 1 2 3; do curl -isN http://$gateway/v1/chat/completions -H 'content-type: application/json' \\
    -d '{"model":"$model","stream":true,"temperature":0,"messages":[{"role":"user","content":"Hello"}]}' & done; wait

Ctrl-C stops it. Log of the gateway:
END
tail -n +1 -f "$logs/gateway.$$.log" --pid="$gateway_pid" &
children+=($!)
if wait "$gateway_pid"; then exit 0; else exit $?; fi
