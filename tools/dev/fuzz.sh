# Fuzzing: fuzz/ has a libFuzzer target for each reader of outside data.

FUZZ_RUNS=10000000

# run_fuzz [--list | [--runs N] [NAME…]]: runs one target after another, one process for each core.
# Findings are in build/fuzz/found/NAME/crash-…; inputs that reach new code are kept for the next
# run in build/fuzz/corpus/NAME.
run_fuzz() {
  local runs=$FUZZ_RUNS names=()
  while [ $# -gt 0 ]; do
    case $1 in
      --list) fuzz_names && return ;;
      --runs)
        [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || stop_with "--runs needs a number"
        runs=$2
        shift
        ;;
      *)
        [ -e "fuzz/$1.cpp" ] || stop_with "no fuzz target $1; there are: $(fuzz_names | xargs)"
        names+=("$1")
        ;;
    esac
    shift
  done
  [ ${#names[@]} -gt 0 ] || mapfile -t names < <(fuzz_names)
  need_packages build test
  build fuzz "${names[@]/#/fuzz_}"
  local name failed=()
  for name in "${names[@]}"; do
    fuzz_one "$name" "$runs" || failed+=("$name")
  done
  [ ${#failed[@]} -eq 0 ] || stop_with "fuzz: ${failed[*]} found something, see build/fuzz/found"
  say "${#names[@]} targets, $runs inputs each: nothing found"
}

fuzz_names() {
  local source
  for source in fuzz/*.cpp; do
    source=${source#fuzz/}
    printf '%s\n' "${source%.cpp}"
  done
}

# fuzz_one NAME RUNS: divides the runs among one process for each core; the processes share the
# corpus and the folder of findings.
fuzz_one() {
  local name=$1 runs=$2 jobs corpus=build/fuzz/corpus/$1 found=build/fuzz/found/$1
  jobs=$(build_jobs)
  mkdir -p "$corpus" "$found" build/logs
  local options=(-runs=$(((runs + jobs - 1) / jobs)) -max_len=4096 -timeout=20 -rss_limit_mb=2048
    -reload=30 -print_final_stats=1 "-artifact_prefix=$found/")
  [ ! -e "fuzz/dictionaries/$name.dict" ] || options+=("-dict=fuzz/dictionaries/$name.dict")
  say "fuzzing $name: $runs inputs, $jobs processes"
  local job processes=() code=0
  for ((job = 1; job <= jobs; job++)); do
    "build/fuzz/fuzz/fuzz_$name" "${options[@]}" "$corpus" "fuzz/corpus/$name" \
      >"build/logs/fuzz-$name-$job" 2>&1 &
    processes+=($!)
  done
  for job in "${processes[@]}"; do
    wait "$job" || code=1
  done
  grep -h --no-messages 'stat::number_of_executed_units' "build/logs/fuzz-$name-"* >&2 || true
  [ $code -eq 0 ] || tail -n 25 "build/logs/fuzz-$name-"* >&2
  return $code
}
