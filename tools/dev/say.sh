# Output of ./dev: its own lines have a mark, which the output of other programs lacks.

say() {
  local mark='▸'
  [ ! -t 2 ] || mark=$'\033[1m▸\033[0m'
  printf '%s %s\n' "$mark" "$*" >&2
}

stop_with() {
  printf './dev: %s\n' "$*" >&2
  exit 1
}

# quietly LOG DOING COMMAND…: keeps the output in build/logs/LOG, and shows its end if COMMAND
# fails. DOING describes COMMAND for the user.
quietly() {
  local log=build/logs/$1 doing=$2
  shift 2
  mkdir -p build/logs
  "$@" >"$log" 2>&1 || stop_with_log "$log" "$doing"
}

# with_progress LOG DOING FILTER COMMAND…: like `quietly`, but pipes the output through FILTER, and
# shows the resulting lines as progress.
with_progress() {
  local log=build/logs/$1 doing=$2 filter=$3
  shift 3
  mkdir -p build/logs
  "$@" 2>&1 | tee "$log" | "$filter" | show_progress || stop_with_log "$log" "$doing"
}

stop_with_log() {
  tail -n 20 "$1" >&2
  stop_with "$2 failed: its last lines are above, all of them in $1"
}

# Shows the last line of standard input: on a terminal in place, otherwise every ten seconds.
show_progress() {
  local line shown=$SECONDS
  while IFS= read -r line; do
    if [ -t 2 ]; then
      printf '\r\033[K  %s' "${line:0:76}" >&2
    elif ((SECONDS - shown >= 10)); then
      printf '  %s\n' "$line" >&2
      shown=$SECONDS
    fi
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
}
