# ./dev run --nodes N: N gateways on one database, with a balancer in front of them. They share the
# accounts. Sends messages of an account of each, kills one gateway, and says what became of the
# messages. The database starts empty, and is removed at the end; the system's own clusters of
# PostgreSQL are not used.

# By the numbers of the nodes, from 1 on.
NODE_PROCESSES=()
NODE_PORTS=()

# By the numbers of the nodes that work for them when they are found.
SHOP_NAMES=()
SHOP_KEYS=()
SHOP_DEVICES=()
SHOPS_MAX=30

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
  share_accounts "$count"
  find_shops "$count"
  start_balancer "$address"
  merpati node list
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
    "$RUN_FOLDER"/accepted-* "$RUN_FOLDER"/demo.json
}

# A server of PostgreSQL without a port. It ends with this script.
start_database() {
  local programs as=(setsid setpriv --pdeathsig QUIT)
  programs=$(dirname "$(printf '%s\n' /usr/lib/postgresql/*/bin/initdb |
    sort --version-sort | tail -n 1)")
  DATABASE_PROGRAMS=$programs
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

# database SQL: rows without decoration.
database() {
  "$DATABASE_PROGRAMS/psql" --host "$DATABASE_FOLDER" --username merpati --no-psqlrc --quiet \
    --tuples-only --no-align --command "$1" merpati
}

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

start_nodes() {
  local number port=9090
  for ((number = 1; number <= $1; number++)); do
    port=$((port + 1))
    while is_busy 127.0.0.1 $port; do port=$((port + 1)); done
    NODE_PORTS[number]=$port
    mkdir -p "$RUN_FOLDER/node-$number"
    : >"$RUN_FOLDER/node-$number/simulator.log"
    start_node $number
    wait_until_ready $number
  done
  ask_node 1
}

start_node() {
  local name=node-$1
  setsid "$RUN_PROGRAM" --config "$RUN_FOLDER/merpati.toml" "${NODE_FLAGS[@]}" \
    --set "cluster.node=$name" --set "store.folder=$RUN_FOLDER/$name" \
    --set "cluster.listen=127.0.0.1:0" --set "http.listen=127.0.0.1:${NODE_PORTS[$1]}" \
    --set "simulator.log=$RUN_FOLDER/$name/simulator.log" serve \
    2> >(exec setsid sed -u "s/^/$name  /" >>"$RUN_FOLDER/gateway.log" 9>&-) &
  NODE_PROCESSES[$1]=$!
}

wait_until_ready() {
  wait_until "node-$1" "${NODE_PROCESSES[$1]}" \
    curl --silent --fail --output /dev/null "http://127.0.0.1:${NODE_PORTS[$1]}/readyz"
}

# ask_node NUMBER: lets `merpati` ask that node from now on.
ask_node() {
  # shellcheck disable=SC2034 # `merpati` uses it.
  RUN_FLAGS=(--set "store.folder=$RUN_FOLDER/node-$1")
}

# A node that joins waits for a minute before it takes accounts from others. Nobody has anything to
# lose here, so the database is told that the minute has passed.
share_accounts() {
  database "UPDATE node SET joined_at = joined_at - 60000"
  wait_until "the nodes' parts" "${NODE_PROCESSES[1]}" have_parts "$1"
}

have_parts() {
  local least
  least=$(database "SELECT min(count) FROM (SELECT count(*) FROM shard WHERE node IS NOT NULL
    GROUP BY node HAVING count(*) >= 256 / $1) AS parts HAVING count(*) = $1")
  [ -n "$least" ]
}

# owner_of ACCOUNT: the number of the node that works for it.
owner_of() {
  local name
  name=$(database "SELECT n.name FROM account a JOIN shard s ON s.id = a.shard
    JOIN node n ON n.id = s.node WHERE a.id = ${1#acc_}")
  printf '%s\n' "${name#node-}"
}

# Leaves an account of each node in SHOP_…, and in WORKING the number of the node that has Demo.
find_shops() {
  local count=$1 made=0 account owner
  WORKING=$(owner_of "$(demo account)")
  SHOP_NAMES[WORKING]=Demo
  SHOP_KEYS[WORKING]=$(demo key)
  SHOP_DEVICES[WORKING]=$RUN_DEVICE
  while [ ${#SHOP_NAMES[@]} -lt "$count" ]; do
    made=$((made + 1))
    [ $made -le $SHOPS_MAX ] || stop_with "a node has none of $SHOPS_MAX accounts"
    account=$(merpati account create "Toko $made" --rate none --json | field id)
    owner=$(owner_of "$account")
    if [ -z "$owner" ] || [ -n "${SHOP_NAMES[owner]:-}" ]; then continue; fi
    SHOP_NAMES[owner]="Toko $made"
    SHOP_KEYS[owner]=$(merpati key create "$account" --name demo --json | field key)
    SHOP_DEVICES[owner]=$((RUN_DEVICE + made))
    merpati device add "$account" "${SHOP_DEVICES[owner]}" --json >/dev/null
  done
}

start_balancer() {
  setsid perl tools/dev/balancer "$1" "${NODE_PORTS[@]/#/127.0.0.1:}" 9>&- \
    2>>"$RUN_FOLDER/gateway.log" &
  RUN_GATEWAY=$!
  wait_until "the balancer" $! is_busy "${1%:*}" "${1##*:}"
}

show_a_kill() {
  local address=$1 number victim=$WORKING senders=()
  say "sending messages of ${#SHOP_NAMES[@]} accounts through the balancer at $address"
  for number in "${!SHOP_NAMES[@]}"; do
    : >"$RUN_FOLDER/accepted-$number.jsonl"
    API_KEY=${SHOP_KEYS[number]} perl tools/dev/send_steadily "$address" \
      "${SHOP_DEVICES[number]}" "$RUN_RECIPIENT" "$RUN_FOLDER/accepted-$number.jsonl" 9>&- &
    senders[number]=$!
    RUN_PROCESSES+=($!)
  done
  wait_for_more 40
  say "kill -9 of node-$victim, which works for ${SHOP_NAMES[victim]}; the others take its accounts"
  kill -KILL "${NODE_PROCESSES[victim]}"
  wait "${NODE_PROCESSES[victim]}" 2>/dev/null || true
  ask_node $((victim == 1 ? 2 : 1))
  wait_until "another node" "${senders[victim]}" another_works "$victim"
  say "node-$WORKING has taken over ${SHOP_NAMES[victim]}"
  wait_for_more 40
  for number in "${!senders[@]}"; do
    kill -TERM "${senders[number]}"
    wait "${senders[number]}" || stop_with "the program that sends messages failed"
  done
  for number in "${!SHOP_NAMES[@]}"; do
    wait_until "the last message" "$RUN_GATEWAY" compare_sent "$number" >/dev/null
    say "${SHOP_NAMES[number]}, of node-$number: $(compare_sent "$number")"
  done
  say "starting node-$victim again: it answers at once, and has its part after a minute"
  start_node "$victim"
  wait_until_ready "$victim"
  merpati node list
}

another_works() {
  WORKING=$(owner_of "$(demo account)")
  [ -n "$WORKING" ] && [ "$WORKING" != "$1" ]
}

# wait_for_more COUNT: so many more accepted messages of each account.
wait_for_more() {
  local number goal
  for number in "${!SHOP_NAMES[@]}"; do
    goal=$(($(count_accepted "$number") + $1))
    wait_until "messages of ${SHOP_NAMES[number]}" "$RUN_GATEWAY" are_accepted "$number" $goal
  done
}

count_accepted() { wc -l <"$RUN_FOLDER/accepted-$1.jsonl"; }

are_accepted() { [ "$(count_accepted "$1")" -ge "$2" ]; }

compare_sent() {
  perl tools/dev/compare_sent "$RUN_FOLDER/accepted-$1.jsonl" "$RUN_FOLDER"/node-*/simulator.log
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
