# Node for tests/ and bench/: the system's where it is new enough, else one from the npm registry
# that lives in build/node and that nothing else sees.

NODE_MAJOR_MIN=20
NODE_MINOR_MIN=19
NODE_PACKAGE_VERSION=22.22.2

need_node() {
  node_is_new_enough node && command -v npm >/dev/null && return
  local machine
  case $(uname -m) in
    x86_64) machine=x64 ;;
    aarch64) machine=arm64 ;;
    *) stop_with "the tests need Node $NODE_MAJOR_MIN.$NODE_MINOR_MIN, and $(uname -m) has none" ;;
  esac
  command -v npm >/dev/null || need_packages node
  node_is_new_enough node && return
  local folder=$PWD/build/node/node_modules/node-linux-$machine/bin
  if ! node_is_new_enough "$folder/node"; then
    say "fetching Node $NODE_PACKAGE_VERSION (50 MB) into build/node: the system's is too old"
    mkdir -p build/node
    quietly npm-node "fetching Node from the npm registry" npm install --prefix build/node \
      --no-save --no-audit --no-fund --no-update-notifier \
      "node-linux-$machine@$NODE_PACKAGE_VERSION"
  fi
  PATH=$folder:$PATH
}

# node_is_new_enough PROGRAM
node_is_new_enough() {
  local version major minor
  version=$("$1" --version 2>/dev/null) || return
  IFS=. read -r major minor _ <<<"${version#v}"
  ((major > NODE_MAJOR_MIN || (major == NODE_MAJOR_MIN && minor >= NODE_MINOR_MIN)))
}

# need_node_modules FOLDER: `npm ci`, when the lock file is not the one last installed.
need_node_modules() {
  local stamp=$1/node_modules/.installed sum
  sum=$(cksum <"$1/package-lock.json")
  [ "$(cat "$stamp" 2>/dev/null)" = "$sum" ] && return
  NPM_PACKAGES=$(grep --count '^    "node_modules/' "$1/package-lock.json")
  say "installing the npm packages of $1/"
  with_progress npm-ci "installing the npm packages of $1/ (npm ci)" npm_progress \
    npm --prefix "$1" ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel http
  printf '%s' "$sum" >"$stamp"
}

# One line for each package that npm fetched. The lock file also names those of other systems.
npm_progress() {
  local line fetched=0
  while IFS= read -r line; do
    [[ $line == *' http '*'.tgz '* ]] || continue
    fetched=$((fetched + 1))
    printf 'fetched %d of at most %d packages\n' $fetched "$NPM_PACKAGES"
  done
}
