# ./dev run --cloud: adds a number of the official platform, and sends through it, against the test
# server of tests/graph, with no account of the platform and no phone.

# run_cloud [FLAG…]: the flags go to the gateway.
run_cloud() {
  local address
  address=$(client_address "$(listen_address "$@")")
  RUN_FOLDER=${MERPATI_DEMO:-.merpati-cloud}
  own_run_folder
  stop_when_busy "$address"
  need_packages build run
  need_node
  need_node_modules tests/graph
  build_what_runs
  stop_run_at_the_end
  rm -f "$RUN_FOLDER"/merpati.db* "$RUN_FOLDER"/demo.json # The test server starts empty, too.
  write_run_configuration
  start_graph
  create_account ""
  start_callback_printer
  call_the_demo_back
  start_gateway "$address" "$@"
  add_cloud_number "$address"
  send_and_answer "$address"
  show_how_to_send "$address" "numbers of the official platform: docs/cloud.md" ""
  show_how_to_play
  wait "$RUN_GATEWAY" || stop_with "the gateway ended by itself: see $RUN_FOLDER/gateway.log"
}

start_graph() {
  say "starting the test server of the official platform"
  node tests/graph/start.mjs 9>&- >"$RUN_FOLDER/graph.json" 2>"$RUN_FOLDER/graph.log" &
  RUN_PROCESSES+=($!)
  wait_until "the test server" $! grep --quiet --no-messages "}" "$RUN_FOLDER/graph.json"
  CLOUD_VERIFY_TOKEN=$(cat /proc/sys/kernel/random/uuid)
  (
    umask 077
    graph secret >"$RUN_FOLDER/app_secret"
  )
  cat >>"$RUN_FOLDER/merpati.toml" <<TOML

[cloud]
url = "$(graph url)"
app_secret_file = "$RUN_FOLDER/app_secret"
verify_token = "$CLOUD_VERIFY_TOKEN"
TOML
}

# graph FIELD: a field of the test server's line about itself.
graph() { field "$1" <"$RUN_FOLDER/graph.json"; }

# ask_graph WORD JSON: sends a command to the test server: see tests/graph/README.md.
ask_graph() { curl --silent --fail "$(graph control)/$1" --data "$2"; }

# Does what a person does at the platform: has a number and its token there, and names the webhook.
add_cloud_number() {
  local number
  number=$(ask_graph number "{\"number\":\"$RUN_DEVICE\"}")
  ask_graph template "{\"number\":\"$RUN_DEVICE\",\"name\":\"kabar\",\"language\":\"id\",
    \"body\":\"Kabar dari toko: {{1}}\"}" >/dev/null
  (
    umask 077
    field token <<<"$number" >"$RUN_FOLDER/token"
  )
  say "adding $RUN_DEVICE, the platform's number $(field phone_number_id <<<"$number")"
  merpati device add "$(demo account)" "$RUN_DEVICE" --connector cloud \
    --phone-number-id "$(field phone_number_id <<<"$number")" --token-file "$RUN_FOLDER/token" \
    --waba-id "$(field waba_id <<<"$number")" \
    --webhook "http://127.0.0.1:$(cat "$RUN_FOLDER/callback.port")/"
  merpati device templates "$RUN_DEVICE"
  merpati device set "$RUN_DEVICE" --fallback-template kabar:id >/dev/null
  ask_graph subscribe "{\"url\":\"http://$1/v1/platform/cloud\",
    \"verify_token\":\"$CLOUD_VERIFY_TOKEN\"}" >/dev/null
  say "the platform has verified the webhook http://$1/v1/platform/cloud"
}

send_and_answer() {
  local message='"message":"Halo dari Merpati!","Type":"text"'
  curl --silent --fail-with-body "http://$1/v1/send" \
    -H "Authorization: Bearer $(demo key)" -H 'Content-Type: application/json' \
    -d "{\"to\":\"$RUN_RECIPIENT\",\"from\":\"$RUN_DEVICE\",$message}"
  echo
  wait_until "the message at the platform" "$RUN_GATEWAY" taken_at_platform
  ask_graph receive "{\"number\":\"$RUN_DEVICE\",\"from\":\"$RUN_RECIPIENT\",
    \"text\":\"Halo, Merpati!\"}" >/dev/null
  say "$RUN_RECIPIENT answers: Halo, Merpati!"
}

taken_at_platform() {
  ask_graph taken "{\"to\":\"$RUN_RECIPIENT\"}" | grep --quiet 'Halo dari Merpati' &&
    say "the platform has taken for $RUN_RECIPIENT: Halo dari Merpati!"
}

show_how_to_play() {
  cat <<TEXT
In place of a person with a phone, write to the number:

  curl $(graph control)/receive \\
    -d '{"number":"$RUN_DEVICE","from":"$RUN_RECIPIENT","text":"Apa kabar?"}'

From now on refuse free text to whoever has not written within 24 hours; texts then go as the
template \`kabar\`:

  curl $(graph control)/window -d '{"number":"$RUN_DEVICE","closed":"answer"}'

Let the platform refuse the next message: tests/graph/README.md has more.

  curl $(graph control)/script -d '{"report":{"code":131026}}'

TEXT
}
