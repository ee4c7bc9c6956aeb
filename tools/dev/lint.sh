# Runs clang-format, tools/tidy, clang-tidy, shellcheck and Biome. All of them run, even if one
# fails.

run_lint() {
  need_packages build test lint
  local failed=()
  say "clang-format"
  cxx_files "$@" | xargs --no-run-if-empty -0 clang-format-19 --dry-run -Werror ||
    failed+=(clang-format)
  say "tools/tidy"
  perl tools/tidy || failed+=(tidy)
  perl tools/texts || failed+=(texts)
  say "shellcheck"
  shellcheck --shell=bash --exclude=SC1091 dev .ci/run tools/dev/*.sh tools/dev_test \
    packaging/merpati-backup || failed+=(shellcheck)
  say "web/"
  (need_node && need_node_modules web && npm --prefix web run --silent lint &&
    npm --prefix web run --silent check) || failed+=(web)
  say "clang-tidy with $(build_jobs) jobs"
  # Every time, because an old compilation database lacks files that were added since.
  quietly configure-dev "configuring build/dev (cmake)" cmake --preset dev
  quietly precompile-dev "compiling the libraries' headers" \
    cmake --build build/dev --target merpati_precompiled merpati_precompiled_tests
  cxx_files "$@" | { grep -z '\.cpp$' || true; } |
    xargs --no-run-if-empty -0 -n 1 -P "$(build_jobs)" bash -c "$LINT_ONE" || failed+=(clang-tidy)
  [ ${#failed[@]} -eq 0 ] || stop_with "lint: ${failed[*]} found something"
  say "nothing to complain about"
}

# For tests it leaves out two groups of checks: tests need not be fast, and they run under
# sanitizers, which find what the slow static analyser looks for.
# shellcheck disable=SC2016 # It is the inner shell that expands $0: a file.
LINT_ONE='case $0 in *_test.cpp) less=--checks=-clang-analyzer-*,-performance-* ;; esac
exec clang-tidy-19 -p build/dev --quiet ${less:+"$less"} "$0" 2>/dev/null'

run_format() {
  need_packages lint
  cxx_files | xargs --no-run-if-empty -0 clang-format-19 -i
  need_node
  need_node_modules web
  npm --prefix web run --silent format
}

# cxx_files [--changed]: C++ files of the tree, or only those that differ from main, separated by
# NUL.
cxx_files() {
  case ${1:-} in
    "") git ls-files -z --cached --others --exclude-standard -- '*.cpp' '*.hpp' ;;
    --changed) changed_files ;;
    *) stop_with "lint knows only --changed, not $1" ;;
  esac
}

changed_files() {
  local base
  base=$(git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD)
  {
    git diff -z --name-only --diff-filter=d "$base" -- '*.cpp' '*.hpp'
    git ls-files -z --others --exclude-standard -- '*.cpp' '*.hpp'
  } | sort -zu
}
