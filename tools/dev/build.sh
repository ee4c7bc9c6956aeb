# Configures and compiles one preset of CMakePresets.json.

# Variables that a user's shell may set for other projects. They would change the compiler, headers
# and libraries of this build, which uses the Debian packages.
FOREIGN_SETTINGS=(CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH
  LIBRARY_PATH CMAKE_TOOLCHAIN_FILE CMAKE_PREFIX_PATH CMAKE_GENERATOR CMAKE_BUILD_TYPE DESTDIR
  PKG_CONFIG PKG_CONFIG_PATH PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR CCC_OVERRIDE_OPTIONS)

# build PRESET [TARGET…]
build() {
  local preset=$1 targets=()
  shift
  [ $# -eq 0 ] || targets=(--target "$@")
  unset "${FOREIGN_SETTINGS[@]}"
  # CMake looks for libraries beside every program of the PATH, such as those of Conda.
  ! command -v apt-get >/dev/null || local PATH=/usr/bin:/bin
  take_turns
  configure "$preset"
  say "building $preset with $(build_jobs) jobs"
  # On a terminal Ninja itself rewrites one line.
  if [ -t 1 ]; then
    compile "$preset" "${targets[@]}"
  else
    compile "$preset" "${targets[@]}" | compile_progress
  fi || stop_with "building $preset failed: the first error stands above, after FAILED"
  end_turn
}

# Makes a Debian package of the release build, as cmake/installation.cmake describes it.
make_package() {
  build release
  say "making the package"
  quietly cpack "making the Debian package (cpack)" \
    cpack --config build/release/CPackConfig.cmake -B build/package
  mv build/package/*.deb build/
  rm -r build/package
  printf '%s\n' build/merpati_*.deb
}

# Configures again if CMakePresets.json or the folder of the checkout has changed.
configure() {
  local stamp=build/$1/.configured sum
  sum=$(cksum - <<<"$PWD" CMakePresets.json)
  [ "$(cat "$stamp" 2>/dev/null)" != "$sum" ] || return 0
  say "configuring build/$1"
  quietly "configure-$1" "configuring build/$1 (cmake)" cmake --fresh --preset "$1"
  printf '%s' "$sum" >"$stamp"
}

compile() {
  local preset=$1
  shift
  cmake --build "build/$preset" --parallel "$(build_jobs)" "$@"
}

# Prints Ninja's steps as progress, and other output, such as warnings, unchanged.
compile_progress() {
  local line
  while IFS= read -r line; do
    if [[ $line =~ ^\[[0-9]+/[0-9]+\] ]]; then
      printf '%s\n' "$line"
    else
      printf '%s\n' "$line" >&2
    fi
  done > >(show_progress)
}

# Two runs of ./dev in one checkout would overwrite each other's files, so only one runs between
# here and `end_turn`.
take_turns() {
  exec 8>build/.lock
  flock --nonblock 8 && return
  say "another ./dev installs or builds in this checkout: waiting for it"
  flock 8
}

end_turn() { exec 8>&-; }

# As many jobs as cores, but no more than fit into memory: a compiler takes up to 1.5 GiB here.
build_jobs() {
  local cores memory jobs
  cores=$(nproc)
  memory=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)
  jobs=$((memory / 1572864))
  ((jobs < cores)) || jobs=$cores
  ((jobs > 0)) || jobs=1
  printf '%s\n' "$jobs"
}

# need_room_to_build: stops unless this user may write to build/.
need_room_to_build() {
  mkdir -p build 2>/dev/null && [ -w build ] && [ -w . ] && return
  local owner
  owner=$(stat --format %U "$([ -e build ] && echo build || echo .)")
  stop_with "this checkout's build/ belongs to $owner, so you cannot build here. Build in a copy" \
    "of your own: git clone '$PWD' ~/merpati && cd ~/merpati"
}
