# Runs the tests, and prints one line of totals at the end.

# run_tests [NAME…]
run_tests() {
  need_packages build test
  need_node
  need_web
  build dev
  # Results of an interrupted run must not be counted.
  rm -rf build/test-results
  mkdir -p build/test-results
  local unit=0 suite=0
  unit_tests "$@" || unit=1
  worker_tests "$@" || suite=1
  web_tests "$@" || suite=1
  end_to_end_tests "$@" || suite=1
  perl tools/dev/totals build/test-results $unit $suite
}

# The rooms' tests, tools/tidy and tools/texts. A NAME is a room, or a part of a test case's name.
unit_tests() {
  say "unit tests"
  local ctest=(env TMPDIR="$(folder_for_stores)"
    ctest --test-dir build/dev --output-on-failure --parallel "$(build_jobs)")
  local results=json:$PWD/build/test-results/ name room
  if [ $# -eq 0 ]; then
    GTEST_OUTPUT=$results "${ctest[@]}"
    return
  fi
  local code=0 listed
  for name in "$@"; do
    # No pipe: see available_package.
    room="^$name(_[0-9]+)?\$"
    listed=$("${ctest[@]}" --show-only -R "$room")
    if [[ $listed == *'Test '*'#'* ]]; then
      GTEST_OUTPUT=$results "${ctest[@]}" -R "$room" || code=1
    else
      GTEST_OUTPUT=$results GTEST_FILTER="*$name*" "${ctest[@]}" \
        -E '^(tidy|texts|dev_test)' || code=1
    fi
  done
  return $code
}

# Where unit tests have their stores: in memory, where there is room and programs may run, because
# what most of them wait for is the disk. Power cuts are tested without it, by tests that note what
# was synced.
folder_for_stores() {
  local usual=${TMPDIR:-/tmp} memory=/dev/shm free options
  free=$(df --output=avail -BM "$memory" 2>/dev/null | tail -n 1 | tr -dc 0-9)
  options=$(findmnt --noheadings --output OPTIONS --target "$memory" 2>/dev/null || echo noexec)
  if [ -w "$memory" ] && [ "${free:-0}" -ge 2048 ] && [[ ,$options, != *,noexec,* ]]; then
    usual=$memory
  fi
  echo "$usual"
}

# Files of tests/ that are also run on PostgreSQL, because they depend on what the store does. Each
# word is a part of their names.
ON_POSTGRES=(--exclude 'web_*' callbacks.test campaigns.test contacts.test crash.test
  credit_and_validity.test export.test idempotency.test operations.test people.test queue.test
  stopped_store.test trails.test)

# tests/ against the binary of the dev build. A NAME is a part of a file's name; then the files run
# on SQLite, or on PostgreSQL with MERPATI_TEST_STORE=postgresql.
end_to_end_tests() {
  if [ ! -x build/dev/merpati ]; then
    say "end-to-end tests: skipped, the build made no merpati"
    return 1
  fi
  say "end-to-end tests"
  need_node_modules tests
  need_node_modules tests/standin
  need_node_modules tests/graph
  local code=0
  vitest end-to-end "$@" || code=1
  if [ $# -eq 0 ] && [ -z "${MERPATI_TEST_STORE:-}" ]; then
    say "end-to-end tests on PostgreSQL"
    MERPATI_TEST_STORE=postgresql vitest postgresql "${ON_POSTGRES[@]}" || code=1
  fi
  return $code
}

# vitest REPORT [NAME…]
vitest() (
  report=$PWD/build/test-results/$1.json
  shift
  cd tests || exit
  MERPATI_BINARY=$OLDPWD/build/dev/merpati npx vitest run --passWithNoTests --reporter=default \
    --reporter=json --outputFile.json="$report" "$@"
)
