# A gateway to play with: a demo account, its key, a simulated device and a receiver of callbacks,
# all in .merpati/ (delete it to start again), or in the folder that MERPATI_DEMO names.

RUN_FOLDER=${MERPATI_DEMO:-.merpati}
RUN_DEVICE=6281100000001
RUN_RECIPIENT=6281234567890
RUN_PERSON=demo@localhost

# run_gateway [FLAG…]: the flags go to the gateway, and override the settings written here.
run_gateway() {
  if [ "${1:-}" = --linked ]; then
    shift
    run_linked "$@"
    return
  fi
  if [ "${1:-}" = --cloud ]; then
    shift
    run_cloud "$@"
    return
  fi
  if [ "${1:-}" = --nodes ]; then
    shift
    run_nodes "$@"
    return
  fi
  local address
  address=$(client_address "$(listen_address "$@")")
  own_run_folder
  stop_when_busy "$address"
  need_packages build run
  build_what_runs
  stop_when_busy "$address"
  write_run_configuration
  [ -e "$RUN_FOLDER/demo.json" ] || create_demo

  stop_run_at_the_end
  start_callback_printer
  call_the_demo_back
  start_gateway "$address" "$@"
  touch "$RUN_FOLDER/simulator.log"
  tail -n 0 -s 0.1 -F "$RUN_FOLDER/simulator.log" 9>&- \
    > >(sed -u 's/^/simulator  /' 9>&-) 2>/dev/null &
  RUN_PROCESSES+=($!)
  show_how_to_send "$address" \
    "recipients ending in 991001 or 995000 fail in their own ways: docs/api.md" \
    "what the simulated platform sends and "
  wait "$RUN_GATEWAY" || stop_with "the gateway ended by itself: see $RUN_FOLDER/gateway.log"
}

# MERPATI_BINARY names a program that is already built.
RUN_PROGRAM=${MERPATI_BINARY:-build/run/merpati}

# The gateway runs without the web app too, and says at /app/ what is missing.
build_what_runs() {
  [ -z "${MERPATI_BINARY:-}" ] || return 0
  (need_web) || say "the web app could not be built, and is left out: the reason stands above"
  build run merpati
}

RUN_FLAGS=() # Of every command.

merpati() { "$RUN_PROGRAM" --config "$RUN_FOLDER/merpati.toml" "${RUN_FLAGS[@]}" "$@"; }

stop_run_at_the_end() {
  RUN_PROCESSES=()
  trap 'stop_run; exit 0' INT TERM HUP
  trap stop_run EXIT
}

call_the_demo_back() {
  merpati account set "$(demo account)" >/dev/null \
    --callback "http://127.0.0.1:$(cat "$RUN_FOLDER/callback.port")/"
}

# demo FIELD: one field of demo.json, which was written when the demo was created.
demo() { field "$1" <"$RUN_FOLDER/demo.json"; }

# The first address that the gateway will listen on: from the last --set http.listen=…, else from
# the environment, else the default.
listen_address() {
  local addresses=${MERPATI_HTTP__LISTEN:-127.0.0.1:8080} flag
  for flag in "$@"; do
    flag=${flag#--set=}
    [[ $flag != http.listen=* ]] || addresses=${flag#http.listen=}
  done
  printf '%s\n' "${addresses%%,*}"
}

# The address at which a client on this machine reaches a server that listens on ADDRESS.
client_address() {
  case $1 in
    0.0.0.0:*) printf '127.0.0.1:%s\n' "${1##*:}" ;;
    '[::]:'*) printf '[::1]:%s\n' "${1##*:}" ;;
    *) printf '%s\n' "$1" ;;
  esac
}

# Locks the folder for this process, before anything in it is changed. The gateway inherits the
# lock, so the lock is held as long as the gateway runs.
own_run_folder() {
  if ! mkdir -p "$RUN_FOLDER" 2>/dev/null || ! [ -O "$RUN_FOLDER" ]; then
    stop_with "$RUN_FOLDER does not belong to you. Take a folder of your own:" \
      "MERPATI_DEMO=\$HOME/merpati-demo ./dev run"
  fi
  chmod 700 "$RUN_FOLDER"
  RUN_FOLDER=$(cd "$RUN_FOLDER" && pwd)
  exec 9>"$RUN_FOLDER/lock"
  flock --nonblock 9 || stop_with "another ./dev run uses $RUN_FOLDER. To run a second gateway" \
    "beside it, give that a folder and a port of its own:
  MERPATI_DEMO=.merpati-2 ./dev run --set http.listen=127.0.0.1:$(free_port)"
}

stop_when_busy() {
  ! is_busy "${1%:*}" "${1##*:}" ||
    stop_with "another program listens on $1. Another port: ./dev run --set" \
      "http.listen=${1%:*}:$(free_port)"
}

# The first port from 9090 on where no process on this machine listens.
free_port() {
  local port=9090
  while is_busy 127.0.0.1 $port; do port=$((port + 1)); done
  printf '%s\n' $port
}

is_busy() {
  local host=${1#[}
  (exec 3<>"/dev/tcp/${host%]}/$2") 2>/dev/null
}

# Allows callbacks in plain HTTP to this machine; only for this demo, which has no certificate.
write_run_configuration() {
  cat >"$RUN_FOLDER/merpati.toml" <<TOML
# Written by \`./dev run\` at each start.
[store]
url = "sqlite:$RUN_FOLDER/merpati.db"

[simulator]
log = "$RUN_FOLDER/simulator.log"

[outbound]
allow = ["127.0.0.0/8"]
allow_http_callbacks = true
TOML
}

# demo.json is written last, so an incomplete demo is created again.
create_demo() {
  say "creating the account Demo, its key and the simulated device $RUN_DEVICE"
  rm -f "$RUN_FOLDER"/merpati.db*
  create_account $RUN_DEVICE
}

# create_account DEVICE: with a simulated device, or without one if DEVICE is empty.
create_account() {
  local account key
  account=$(merpati account create Demo --rate none --json)
  key=$(merpati key create "$(field id <<<"$account")" --name demo \
    --scopes send,campaigns:read,campaigns:manage --json)
  [ -z "$1" ] || merpati device add "$(field id <<<"$account")" "$1" --json >/dev/null
  (
    umask 077
    printf '{"account":"%s","webhook_secret":"%s","key":"%s","device":"%s"}\n' \
      "$(field id <<<"$account")" "$(field webhook_secret <<<"$account")" \
      "$(field key <<<"$key")" "$1" >"$RUN_FOLDER/demo.new"
  )
  mv "$RUN_FOLDER/demo.new" "$RUN_FOLDER/demo.json"
}

# field NAME: prints a field of the JSON object on standard input.
field() { perl -MJSON::PP -0777 -ne 'print decode_json($_)->{'"$1"'}'; }

start_callback_printer() {
  rm -f "$RUN_FOLDER/callback.port"
  WEBHOOK_SECRET=$(demo webhook_secret) \
    perl tools/dev/callback_printer "$RUN_FOLDER/callback.port" 9>&- &
  RUN_PROCESSES+=($!)
  wait_until "the program that shows callbacks" $! test -s "$RUN_FOLDER/callback.port"
}

# The gateway runs in its own session, so that Ctrl-C reaches only this script, which then asks the
# gateway to stop. Two signals would end the gateway at once.
start_gateway() {
  local address=$1
  shift
  setsid "$RUN_PROGRAM" --config "$RUN_FOLDER/merpati.toml" "$@" serve \
    2>"$RUN_FOLDER/gateway.log" &
  RUN_GATEWAY=$!
  wait_until "the gateway" $RUN_GATEWAY \
    curl --silent --fail --output /dev/null "http://$address/readyz"
}

# wait_until WHAT PROCESS COMMAND…: waits until COMMAND succeeds. Fails if PROCESS has ended, or
# after half a minute.
wait_until() {
  local what=$1 process=$2 attempt
  shift 2
  for ((attempt = 0; attempt < 300; attempt++)); do
    ! "$@" || return 0
    kill -0 "$process" 2>/dev/null || break
    sleep 0.1
  done
  [ ! -e "$RUN_FOLDER/gateway.log" ] || tail -n 20 "$RUN_FOLDER/gateway.log" >&2
  stop_with "$what did not start: what it said stands above"
}

# A link that opens the web app signed in, once. Creates the person if there is none.
sign_in_link() {
  local link
  if ! link=$(merpati user link $RUN_PERSON --json 2>/dev/null); then
    merpati user create $RUN_PERSON --admin --json </dev/null >/dev/null
    link=$(merpati user link $RUN_PERSON --json)
  fi
  field url <<<"$link"
}

# show_how_to_send ADDRESS RECIPIENTS SHOWN: RECIPIENTS is a sentence about recipients, SHOWN says
# what appears below.
show_how_to_send() {
  cat <<TEXT

Merpati listens on http://$1. Its key for the account Demo:

  $(demo key)

Open the web app, signed in (once, within 15 minutes; after that: ./dev run again):

  $(sign_in_link)

Send a message ($2):

  curl http://$1/v1/send \\
    -H 'Authorization: Bearer $(demo key)' -H 'Content-Type: application/json' \\
    -d '{"to":"$RUN_RECIPIENT","from":"$RUN_DEVICE","message":"Halo!","Type":"text"}'

Below appear $3the signed callbacks that arrive. The gateway's
own log: $RUN_FOLDER/gateway.log. Ctrl-C stops everything.

TEXT
}

# Stops the gateway first, so that the printer still receives the last callbacks.
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
