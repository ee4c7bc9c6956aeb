# The worker for linked devices: built with npm, tested against the stand-in platform.

# Builds workers/linked/dist if a source is newer.
need_worker() {
  need_node
  need_node_modules workers/linked
  local made=workers/linked/dist/main.js
  local -a sources=(src rolldown.config.ts package-lock.json)
  [ -z "$(find "${sources[@]/#/workers/linked/}" -newer "$made" -print -quit \
    2>/dev/null || echo none)" ] && return
  quietly worker "building workers/linked (rolldown)" npm --prefix workers/linked run build
}

# worker_tests [NAME…]: a NAME is a part of a file's name.
worker_tests() {
  say "tests of workers/linked"
  need_worker
  need_node_modules tests/standin
  (
    cd workers/linked || exit
    npx tsc --noEmit || exit
    npx vitest run --passWithNoTests --reporter=default \
      --reporter=json --outputFile.json="$OLDPWD/build/test-results/worker.json" "$@"
  )
}
