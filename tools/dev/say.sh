# How ./dev speaks: its own lines are marked, to stand out from those of the tools it runs.

say() {
  local mark='▸'
  [ ! -t 2 ] || mark=$'\033[1m▸\033[0m'
  printf '%s %s\n' "$mark" "$*" >&2
}

stop_with() {
  printf './dev: %s\n' "$*" >&2
  exit 1
}

# quietly LOG COMMAND…: keeps the output in build/logs/LOG, and shows its end when COMMAND fails.
quietly() {
  local log=build/logs/$1
  shift
  mkdir -p build/logs
  "$@" >"$log" 2>&1 && return
  tail -n 40 "$log" >&2
  stop_with "'$*' failed; the whole output is in $log"
}
