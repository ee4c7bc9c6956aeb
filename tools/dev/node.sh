# Node and npm for web/, workers/, tests/ and bench/: the system's if they are new enough, else
# those of the npm registry in build/node, which nothing else uses. Debian's npm is not installed:
# it needs 360 other packages, and an older Node than this.

NODE_MAJOR_MIN=20
NODE_MINOR_MIN=19
NODE_VERSION=22.22.2
NODE_X64_SHA512=2cdee833d940fee3a39ecbe5bf994f60804f1ae14889872466105c115847c366\
0db26f520c2da77019495866d4b6ec0c7f102bd718ce1beb8463b6c47d5d55c9
NPM_VERSION=10.9.4
NPM_SHA512=3a7506f37e85c1ba1021baad79f0cd9724748131f321fc117c4dc3ba235ec01b\
e7327584a41d15117c01945560aa9373220628fcc1e1dddd877a5fe9b336a900

need_node() {
  node_is_new_enough node && command -v npm >/dev/null && return
  local folder=$PWD/build/node
  need_packages node
  if ! node_is_new_enough node && ! node_is_new_enough "$folder/bin/node"; then
    fetch_node "$folder"
  fi
  if [ ! -e "$folder/bin/npm" ]; then
    fetch_npm_package npm "$NPM_VERSION" "$NPM_SHA512" "$folder/npm"
    mkdir -p "$folder/bin"
    ln -sf ../npm/bin/npm-cli.js "$folder/bin/npm"
    ln -sf ../npm/bin/npx-cli.js "$folder/bin/npx"
  fi
  PATH=$folder/bin:$PATH
}

fetch_node() {
  local machine sum
  case $(uname -m) in
    x86_64) machine=x64 sum=$NODE_X64_SHA512 ;;
    aarch64) machine=arm64 sum= ;;
    *) stop_with "Node $NODE_MAJOR_MIN.$NODE_MINOR_MIN is needed, and $(uname -m) has none" ;;
  esac
  say "fetching Node $NODE_VERSION (50 MB) into build/node: the system's is missing or too old"
  fetch_npm_package "node-linux-$machine" "$NODE_VERSION" "$sum" "$1/node"
  mkdir -p "$1/bin"
  ln -sf ../node/bin/node "$1/bin/node"
}

# fetch_npm_package NAME VERSION SHA512 FOLDER: unpacks the package into FOLDER, completely or not
# at all. An empty SHA512 skips the check.
fetch_npm_package() {
  local registry archive=build/node/$1.tgz
  registry=${npm_config_registry:-$(sed -n 's/^registry *= *//p' ~/.npmrc 2>/dev/null | tail -n 1)}
  registry=${registry:-https://registry.npmjs.org}
  mkdir -p build/node
  quietly "fetch-$1" "fetching $1 from the npm registry" \
    curl --fail --silent --show-error --location --retry 3 --output "$archive" \
    "${registry%/}/$1/-/$1-$2.tgz"
  if [ -n "$3" ] && ! sha512sum --check --status <<<"$3  $archive"; then
    stop_with "what the npm registry answered for $1 is not $1 $2: its checksum differs"
  fi
  rm -rf "$4" "$4.new"
  mkdir -p "$4.new"
  tar --extract --gzip --file "$archive" --directory "$4.new" --strip-components 1
  mv "$4.new" "$4"
  rm "$archive"
}

# node_is_new_enough PROGRAM
node_is_new_enough() {
  local version major minor
  version=$("$1" --version 2>/dev/null) || return
  IFS=. read -r major minor _ <<<"${version#v}"
  ((major > NODE_MAJOR_MIN || (major == NODE_MAJOR_MIN && minor >= NODE_MINOR_MIN)))
}

# need_node_modules FOLDER [FLAG…]: runs `npm ci` if the lock file has changed since the last
# installation. With flags of npm (--omit=dev) a full installation is good enough.
need_node_modules() {
  local folder=$1 stamp=$1/node_modules/.installed sum found
  shift
  sum=$(cksum <"$folder/package-lock.json")
  found=$(cat "$stamp" 2>/dev/null || true)
  if [ "$found" = "$sum" ] || [ "$found" = "$sum $*" ]; then return; fi
  NPM_PACKAGES=$(grep --count '^    "node_modules/' "$folder/package-lock.json")
  say "installing the npm packages of $folder/"
  with_progress npm-ci "installing the npm packages of $folder/ (npm ci)" npm_progress \
    npm --prefix "$folder" ci "$@" --ignore-scripts --no-audit --no-fund --no-update-notifier \
    --loglevel http
  printf '%s' "$sum${*:+ $*}" >"$stamp"
}

# One line for each package that npm fetched, without a total: the lock file also names packages of
# other systems.
npm_progress() {
  local line fetched=0
  while IFS= read -r line; do
    [[ $line == *' http '*'.tgz '* ]] || continue
    fetched=$((fetched + 1))
    printf 'fetched %d of at most %d packages\n' $fetched "$NPM_PACKAGES"
  done
}
