# A gateway to play with: a demo account, its key, a simulated device and someone to call back, all
# in .merpati/ (delete it to begin anew).

RUN_FOLDER=.merpati
RUN_DEVICE=6281100000001
RUN_RECIPIENT=6281234567890

# run_gateway [FLAG…]: flags of the gateway; they beat what is set here.
run_gateway() {
  need_packages build run
  build release merpati
  local address
  address=$(listen_address "$@")
  stop_when_busy "$address"
  mkdir -p $RUN_FOLDER
  chmod 700 $RUN_FOLDER
  write_run_configuration
  [ -e $RUN_FOLDER/demo.json ] || create_demo

  RUN_PROCESSES=()
  trap 'stop_run; exit 0' INT TERM
  trap stop_run EXIT
  start_callback_printer
  merpati account set "$(demo account)" >/dev/null \
    --callback "http://127.0.0.1:$(cat $RUN_FOLDER/callback.port)/"
  start_gateway "$address" "$@"
  touch $RUN_FOLDER/simulator.log
  tail -n 0 -s 0.1 -F $RUN_FOLDER/simulator.log > >(sed -u 's/^/simulator  /') 2>/dev/null &
  RUN_PROCESSES+=($!)
  show_how_to_send "$address"
  wait "$RUN_GATEWAY" || stop_with "the gateway ended by itself: see $RUN_FOLDER/gateway.log"
}

merpati() { build/release/merpati --config $RUN_FOLDER/merpati.toml "$@"; }

# demo FIELD: one field of the demo's account, written down when it was made.
demo() { perl -MJSON::PP -0777 -ne 'print decode_json($_)->{'"$1"'}' $RUN_FOLDER/demo.json; }

# The last --set http.listen=… of the flags, or the default.
listen_address() {
  local address=127.0.0.1:8080 flag
  for flag in "$@"; do
    flag=${flag#--set=}
    [[ $flag != http.listen=* ]] || address=${flag#http.listen=}
  done
  printf '%s\n' "$address"
}

stop_when_busy() {
  local host=${1%:*} port=${1##*:}
  if (exec 3<>"/dev/tcp/$host/$port") 2>/dev/null; then
    stop_with "$1 is taken by another program: ./dev run --set http.listen=$host:9090 may be free"
  fi
}

# Callbacks in plain HTTP to this machine: for this demo alone, where no certificate is to be had.
write_run_configuration() {
  cat >$RUN_FOLDER/merpati.toml <<TOML
# Written by \`./dev run\` at each start.
[store]
url = "sqlite:$PWD/$RUN_FOLDER/merpati.db"

[simulator]
log = "$PWD/$RUN_FOLDER/simulator.log"

[outbound]
allow = ["127.0.0.0/8"]
allow_http_callbacks = true
TOML
}

# A half-made demo is made anew: demo.json is there only when all of it is.
create_demo() {
  say "creating the account Demo, its key and the simulated device $RUN_DEVICE"
  rm -f $RUN_FOLDER/merpati.db*
  local account key
  account=$(merpati account create Demo --rate none --json)
  key=$(merpati key create "$(field id <<<"$account")" --name demo --json)
  merpati device add "$(field id <<<"$account")" $RUN_DEVICE --json >/dev/null
  (
    umask 077
    printf '{"account":"%s","webhook_secret":"%s","key":"%s","device":"%s"}\n' \
      "$(field id <<<"$account")" "$(field webhook_secret <<<"$account")" \
      "$(field key <<<"$key")" $RUN_DEVICE >$RUN_FOLDER/demo.new
  )
  mv $RUN_FOLDER/demo.new $RUN_FOLDER/demo.json
}

# field NAME: that field of the JSON object on standard input.
field() { perl -MJSON::PP -0777 -ne 'print decode_json($_)->{'"$1"'}'; }

start_callback_printer() {
  rm -f $RUN_FOLDER/callback.port
  WEBHOOK_SECRET=$(demo webhook_secret) perl tools/dev/callback_printer $RUN_FOLDER/callback.port &
  RUN_PROCESSES+=($!)
  wait_until "the callback printer" $! test -s $RUN_FOLDER/callback.port
}

start_gateway() {
  local address=$1
  shift
  build/release/merpati --config $RUN_FOLDER/merpati.toml "$@" serve 2>$RUN_FOLDER/gateway.log &
  RUN_GATEWAY=$!
  wait_until "the gateway" $RUN_GATEWAY \
    curl --silent --fail --output /dev/null "http://$address/readyz"
}

# wait_until WHAT PROCESS COMMAND…: until COMMAND succeeds. Gives up when PROCESS has ended, and
# after half a minute.
wait_until() {
  local what=$1 process=$2 attempt
  shift 2
  for ((attempt = 0; attempt < 300; attempt++)); do
    ! "$@" || return 0
    kill -0 "$process" 2>/dev/null || break
    sleep 0.1
  done
  [ ! -e $RUN_FOLDER/gateway.log ] || tail -n 20 $RUN_FOLDER/gateway.log >&2
  stop_with "$what does not get ready"
}

show_how_to_send() {
  cat <<TEXT

Merpati listens on http://$1. Its key for the account Demo:

  $(demo key)

Send a message (recipients ending in 991001 or 995000 fail in their own ways: docs/api.md):

  curl http://$1/v1/send \\
    -H 'Authorization: Bearer $(demo key)' -H 'Content-Type: application/json' \\
    -d '{"to":"$RUN_RECIPIENT","from":"$RUN_DEVICE","message":"Halo!","Type":"text"}'

Below appear what the simulated platform sends and the signed callbacks that arrive. The gateway's
own log: $RUN_FOLDER/gateway.log. Ctrl-C stops everything.

TEXT
}

# First the gateway, whose last callbacks the printer still takes.
stop_run() {
  trap '' INT TERM
  trap - EXIT
  local process
  for process in ${RUN_GATEWAY:-} "${RUN_PROCESSES[@]}"; do
    kill -TERM "$process" 2>/dev/null || continue
    wait "$process" 2>/dev/null || true
  done
  say "stopped"
}
