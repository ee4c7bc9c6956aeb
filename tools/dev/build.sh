# Configuring and compiling one preset of CMakePresets.json.

# build PRESET [TARGET…]
build() {
  local preset=$1 targets=()
  shift
  [ $# -eq 0 ] || targets=(--target "$@")
  if [ ! -e "build/$preset/build.ninja" ]; then
    say "configuring build/$preset"
    quietly "configure-$preset" cmake --preset "$preset"
  fi
  say "building $preset with $(build_jobs) jobs"
  cmake --build "build/$preset" --parallel "$(build_jobs)" "${targets[@]}"
}

# As many jobs as cores, but no more than memory can bear: a compiler here takes up to 1.5 GiB.
build_jobs() {
  local cores memory jobs
  cores=$(nproc)
  memory=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)
  jobs=$((memory / 1572864))
  ((jobs < cores)) || jobs=$cores
  ((jobs > 0)) || jobs=1
  printf '%s\n' "$jobs"
}
