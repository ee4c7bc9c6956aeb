# ./dev run --linked: links a phone step by step, and sends a first message through it. --stand-in:
# the same without a phone, against the stand-in platform of tests/standin.

STAND_IN_DEVICE=6281100000001
STAND_IN_FRIEND=6281234567890

# run_linked [--stand-in] [FLAG…]: the flags go to the gateway.
run_linked() {
  local address stand_in=no
  if [ "${1:-}" = --stand-in ]; then
    stand_in=yes
    shift
  fi
  address=$(client_address "$(listen_address "$@")")
  RUN_FOLDER=${MERPATI_DEMO:-.merpati-linked}
  [ $stand_in = no ] || RUN_FOLDER=${MERPATI_DEMO:-.merpati-stand-in}
  own_run_folder
  stop_when_busy "$address"
  need_packages build run
  need_worker
  [ $stand_in = no ] || need_node_modules tests/standin
  build_what_runs
  stop_run_at_the_end
  write_run_configuration
  if [ $stand_in = yes ]; then
    rm -f "$RUN_FOLDER"/merpati.db* "$RUN_FOLDER"/demo.json # The stand-in starts empty, too.
    start_stand_in
  fi
  [ -e "$RUN_FOLDER/demo.json" ] || create_linked_demo
  start_callback_printer
  call_the_demo_back
  start_gateway "$address" "$@"
  link_phone $stand_in
  send_first_message "$address" $stand_in
  show_how_to_send "$address" "more about linked phones: docs/linking.md" ""
  wait "$RUN_GATEWAY" || stop_with "the gateway ended by itself: see $RUN_FOLDER/gateway.log"
}

start_stand_in() {
  say "starting the stand-in platform"
  node tests/standin/start.mjs 9>&- >"$RUN_FOLDER/stand-in.json" \
    2>"$RUN_FOLDER/stand-in.log" &
  RUN_PROCESSES+=($!)
  wait_until "the stand-in platform" $! grep --quiet '}' "$RUN_FOLDER/stand-in.json"
  cat >>"$RUN_FOLDER/merpati.toml" <<TOML
ca_file = "$(stand_in root_file)"

[linked]
url = "$(stand_in url)"
root_key = "$(stand_in root_key)"
TOML
  control register "{\"number\":\"$STAND_IN_FRIEND\"}" >/dev/null
}

# stand_in FIELD: a field of the stand-in's line about itself.
stand_in() { field "$1" <"$RUN_FOLDER/stand-in.json"; }

# control WORD JSON: sends a command to the stand-in, in place of a person with a phone.
control() { curl --silent --fail "$(stand_in control)/$1" --data "$2"; }

create_linked_demo() {
  rm -f "$RUN_FOLDER"/merpati.db*
  create_account ""
}

# Asks for the phone's number, and shows the code until the phone is linked. A phone that was linked
# in an earlier run connects again by itself.
link_phone() {
  RUN_DEVICE=$(demo device)
  if [ -z "$RUN_DEVICE" ]; then
    if [ "$1" = yes ]; then
      RUN_DEVICE=$STAND_IN_DEVICE
    else
      tell_what_linking_means
      ask_number "The number of the phone that shall send:"
      RUN_DEVICE=$ANSWER
    fi
    merpati device add "$(demo account)" "$RUN_DEVICE" --connector linked --json >/dev/null
    remember_device "$RUN_DEVICE"
  fi
  local state
  state=$(merpati device list "$(demo account)" --json | perl -MJSON::PP -0777 -ne \
    'print $_->{state} for grep { $_->{number} eq '"$RUN_DEVICE"' } @{decode_json($_)}')
  if [ "$state" = connected ] || [ "$state" = reconnecting ]; then
    say "the phone $RUN_DEVICE is linked"
    return
  fi
  if [ "$1" = yes ]; then
    scan_with_stand_in &
  fi
  merpati device pair "$RUN_DEVICE" ||
    stop_with "the phone was not linked. Once more: ./dev run --linked"
}

tell_what_linking_means() {
  cat <<'TEXT'

This links a phone to Merpati, as you would link a computer to it. Before you go on:

  - It is not official. The platform may block a number that is used in this way, for good. Take
    one that you can do without.
  - It has never been tried against the real service, only against a stand-in.
  - Write to people who know you, and not to many at once.

docs/linking.md says more. Ctrl-C leaves, and changes nothing on the phone.

TEXT
}

# ask_number QUESTION: leaves a number in international form in ANSWER.
ask_number() {
  while printf '%s ' "$1"; do
    read -r ANSWER || stop_with "no number was given"
    ANSWER=${ANSWER//[^0-9]/}
    [[ ! $ANSWER =~ ^[1-9][0-9]{7,14}$ ]] || return 0
    echo "Write it with its country code and without the 0 before it: 6281234567890."
  done
}

remember_device() {
  perl -MJSON::PP -0777 -pe '$_ = encode_json({%{decode_json($_)}, device => "'"$1"'"})' \
    "$RUN_FOLDER/demo.json" >"$RUN_FOLDER/demo.new"
  mv "$RUN_FOLDER/demo.new" "$RUN_FOLDER/demo.json"
}

# Scans the code in place of a person, after a moment in which the code is visible.
scan_with_stand_in() {
  local pairing="http://localhost/v1/devices/$RUN_DEVICE/pairing" code attempt
  for ((attempt = 0; attempt < 60; attempt++)); do
    code=$(curl --silent --unix-socket "$RUN_FOLDER/merpati.db.sock" "$pairing" | field payload)
    if [[ $code == https:* ]]; then
      sleep 2
      control scan "{\"number\":\"$RUN_DEVICE\",\"qr\":\"$code\"}" >/dev/null
      return
    fi
    sleep 0.5
  done
}

send_first_message() {
  RUN_RECIPIENT=$STAND_IN_FRIEND
  if [ "$2" = no ]; then
    ask_number "Whom shall the first message go to? A number of yours, or of a friend:"
    RUN_RECIPIENT=$ANSWER
  fi
  local message='"message":"Halo dari Merpati!","Type":"text"'
  curl --silent --fail-with-body "http://$1/v1/send" \
    -H "Authorization: Bearer $(demo key)" -H 'Content-Type: application/json' \
    -d "{\"to\":\"$RUN_RECIPIENT\",\"from\":\"$RUN_DEVICE\",$message}"
  echo
  [ "$2" = no ] || wait_until "the message on the other phone" "$RUN_GATEWAY" shown_to_friend
}

shown_to_friend() {
  control shown "{\"number\":\"$STAND_IN_FRIEND\"}" | grep --quiet 'Halo dari Merpati' &&
    say "the phone of $STAND_IN_FRIEND shows: Halo dari Merpati!"
}
