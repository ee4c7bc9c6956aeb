# ./dev run --nodes N: N gateways on one database, with a balancer in front of them. Sends messages,
# kills the gateway that works, and says what became of them. The database starts empty, and is
# removed at the end; the system's own clusters of PostgreSQL are not used.

# By the numbers of the nodes, from 1 on.
NODE_PROCESSES=()
NODE_PORTS=()

# run_nodes N [FLAG…]: the flags go to the nodes; http.listen is the balancer's.
run_nodes() {
  local count=${1:-} address
  [[ $count =~ ^[2-9]$ ]] || stop_with "from 2 to 9 nodes: ./dev run --nodes 3"
  shift
  NODE_FLAGS=("$@")
  address=$(client_address "$(listen_address "$@")")
  RUN_FOLDER=${MERPATI_DEMO:-.merpati-nodes}
  own_run_folder
  stop_when_busy "$address"
  need_packages build run nodes
  build_what_runs
  stop_nodes_at_the_end
  remove_earlier_nodes
  start_database
  write_nodes_configuration "$address"
  merpati migrate >/dev/null
  create_account "$RUN_DEVICE"
  start_nodes "$count"
  start_balancer "$address"
  show_nodes
  show_a_kill "$address"
  start_callback_printer
  call_the_demo_back
  show_simulators
  show_how_to_send "$address" \
    "recipients ending in 991001 or 995000 fail in their own ways: docs/api.md" \
    "what the simulated platform sends and "
  show_how_to_kill
  wait "$RUN_GATEWAY" || stop_with "the balancer ended by itself"
}

stop_nodes_at_the_end() {
  RUN_PROCESSES=()
  trap 'stop_nodes; exit 0' INT TERM HUP
  trap stop_nodes EXIT
}

# The nodes together, because one that ends hands over to another. The database last.
stop_nodes() {
  trap '' INT TERM
  trap - EXIT
  if [ ${#NODE_PROCESSES[@]} -gt 0 ]; then
    kill -TERM "${NODE_PROCESSES[@]}" 2>/dev/null || true
    wait "${NODE_PROCESSES[@]}" 2>/dev/null || true
  fi
  stop_run
  [ -z "${DATABASE_FOLDER:-}" ] || rm -rf "$DATABASE_FOLDER"
}

remove_earlier_nodes() {
  rm -rf "$RUN_FOLDER"/node-* "$RUN_FOLDER"/merpati.* "$RUN_FOLDER"/*.log \
    "$RUN_FOLDER"/demo.json
}

# A server of PostgreSQL without a port. It ends with this script.
start_database() {
  local programs as=(setsid setpriv --pdeathsig QUIT)
  programs=$(dirname "$(printf '%s\n' /usr/lib/postgresql/*/bin/initdb |
    sort --version-sort | tail -n 1)")
  DATABASE_FOLDER=$(mktemp -d /tmp/merpati-pg-XXXXXX) # A socket's path has 107 bytes at most.
  if [ "$(id -u)" -eq 0 ]; then                       # PostgreSQL refuses to run as root.
    chown postgres: "$DATABASE_FOLDER"
    as+=(--reuid postgres --regid postgres --clear-groups)
  fi
  say "starting PostgreSQL in $DATABASE_FOLDER"
  (cd "$DATABASE_FOLDER" && "${as[@]}" "$programs/initdb" --pgdata data --username merpati \
    --auth trust --encoding UTF8 --locale C --no-sync) >"$RUN_FOLDER/postgresql.log" 2>&1 ||
    stop_with "initdb failed: see $RUN_FOLDER/postgresql.log"
  (cd "$DATABASE_FOLDER" && exec "${as[@]}" "$programs/postgres" -D data -k "$DATABASE_FOLDER" \
    -c listen_addresses=) >>"$RUN_FOLDER/postgresql.log" 2>&1 9>&- &
  RUN_PROCESSES+=($!)
  wait_until "PostgreSQL" $! "$programs/pg_isready" --quiet --host "$DATABASE_FOLDER"
  "$programs/createdb" --host "$DATABASE_FOLDER" --username merpati merpati
}

# A start that waits for another node's lease waits for 3 s, the shortest that can be set.
write_nodes_configuration() {
  cat >"$RUN_FOLDER/merpati.toml" <<TOML
# Written by \`./dev run --nodes\` at each start.
[store]
url = "postgresql://merpati@/merpati?host=$DATABASE_FOLDER"
key_file = "$RUN_FOLDER/merpati.key"
folder = "$RUN_FOLDER"

[cluster]
lease = "3s"

[app]
url = "http://$1"

[outbound]
allow = ["127.0.0.0/8"]
allow_http_callbacks = true
TOML
}

# start_nodes COUNT: the first works at first.
start_nodes() {
  local number port=9090
  for ((number = 1; number <= $1; number++)); do
    port=$((port + 1))
    while is_busy 127.0.0.1 $port; do port=$((port + 1)); done
    NODE_PORTS[number]=$port
    mkdir -p "$RUN_FOLDER/node-$number"
    : >"$RUN_FOLDER/node-$number/simulator.log"
    start_node $number
    wait_until "node-$number" "${NODE_PROCESSES[number]}" node_has_joined $number
  done
}

start_node() {
  local name=node-$1
  setsid "$RUN_PROGRAM" --config "$RUN_FOLDER/merpati.toml" "${NODE_FLAGS[@]}" \
    --set "cluster.node=$name" --set "store.folder=$RUN_FOLDER/$name" \
    --set "http.listen=127.0.0.1:${NODE_PORTS[$1]}" \
    --set "simulator.log=$RUN_FOLDER/$name/simulator.log" serve \
    2> >(exec setsid sed -u "s/^/$name  /" >>"$RUN_FOLDER/gateway.log" 9>&-) &
  NODE_PROCESSES[$1]=$!
}

# Whether the node listens, or waits for another one.
node_has_joined() {
  is_busy 127.0.0.1 "${NODE_PORTS[$1]}" ||
    grep --quiet --no-messages "^node-$1 .*another node is at work" "$RUN_FOLDER/gateway.log"
}

start_balancer() {
  setsid perl tools/dev/balancer "$1" "${NODE_PORTS[@]/#/127.0.0.1:}" 9>&- \
    2>>"$RUN_FOLDER/gateway.log" &
  RUN_GATEWAY=$!
  wait_until "the balancer" $! is_busy "${1%:*}" "${1##*:}"
}

# Leaves the number of a node that works for accounts in WORKING, and lets `merpati` ask that node.
find_working_node() {
  local number listed
  WORKING=
  for number in "${!NODE_PORTS[@]}"; do
    # shellcheck disable=SC2034 # `merpati` uses it.
    RUN_FLAGS=(--set "store.folder=$RUN_FOLDER/node-$number")
    is_busy 127.0.0.1 "${NODE_PORTS[number]}" || continue
    listed=$(merpati node list --json 2>/dev/null) || continue
    WORKING=$(perl -MJSON::PP -0777 -ne 'print map { $_->{name} =~ /(\d+)/ }
      grep { $_->{accounts} } @{decode_json($_)}' <<<"$listed")
    [ -z "$WORKING" ] || break
  done
  [ -n "$WORKING" ]
}

show_nodes() {
  wait_until "a node that works" "$RUN_GATEWAY" find_working_node
  merpati node list
}

show_a_kill() {
  local sender victim=$WORKING address=$1
  say "sending messages through the balancer at $address"
  : >"$RUN_FOLDER/accepted.jsonl"
  API_KEY=$(demo key) perl tools/dev/send_steadily "$address" "$RUN_DEVICE" "$RUN_RECIPIENT" \
    "$RUN_FOLDER/accepted.jsonl" 9>&- &
  sender=$!
  RUN_PROCESSES+=("$sender")
  wait_until "the first messages" $sender are_accepted 40
  say "kill -9 of node-$victim, which works; the others wait until its lease of 3 s has ended"
  kill -KILL "${NODE_PROCESSES[victim]}"
  wait "${NODE_PROCESSES[victim]}" 2>/dev/null || true
  wait_until "another node" $sender another_works "$victim"
  say "node-$WORKING has taken over"
  wait_until "more messages" $sender are_accepted $(($(count_accepted) + 40))
  kill -TERM $sender
  wait $sender || stop_with "the program that sends messages failed"
  wait_until "the last message" "$RUN_GATEWAY" compare_sent >/dev/null
  say "$(compare_sent)"
  say "starting node-$victim again, which waits from now on"
  start_node "$victim"
  wait_until "node-$victim" "${NODE_PROCESSES[victim]}" node_has_joined "$victim"
  show_nodes
}

another_works() { find_working_node && [ "$WORKING" != "$1" ]; }

count_accepted() { wc -l <"$RUN_FOLDER/accepted.jsonl"; }

are_accepted() { [ "$(count_accepted)" -ge "$1" ]; }

compare_sent() {
  perl tools/dev/compare_sent "$RUN_FOLDER/accepted.jsonl" "$RUN_FOLDER"/node-*/simulator.log
}

show_simulators() {
  tail --quiet -n 0 -s 0.1 -F "$RUN_FOLDER"/node-*/simulator.log 9>&- \
    > >(sed -u 's/^/simulator  /' 9>&-) 2>/dev/null &
  RUN_PROCESSES+=($!)
}

show_how_to_kill() {
  local number
  echo "Kill a node yourself, and send again; it is not started again:"
  echo
  for number in "${!NODE_PROCESSES[@]}"; do
    echo "  kill -9 ${NODE_PROCESSES[number]}   # node-$number"
  done
  echo
}
