# Debian packages: tools/dev/packages/PURPOSE has one a line. `a | b` means the first of them that
# this release of Debian has; any of them, installed, is enough.

# need_packages PURPOSE…: installs what is missing. With nothing missing it touches no network.
need_packages() {
  local missing
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  command -v apt-get >/dev/null || stop_with "without apt-get, please install: $missing"
  say "installing what is missing for $*: $(tr -s '\n' ' ' <<<"$missing")"
  quietly apt-update as_root apt-get update
  local line names=()
  while IFS= read -r line; do
    names+=("$(available_package "$line")")
  done <<<"$missing"
  quietly apt-install without_services as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends "${names[@]}"
}

# The lines of the lists of which nothing is installed.
missing_packages() {
  local installed purpose line name
  installed=$(dpkg-query --show --showformat '${Package} ${db:Status-Status}\n' 2>/dev/null |
    sed -n 's/ installed$//p')
  for purpose in "$@"; do
    while IFS= read -r line; do
      for name in ${line//|/ }; do
        grep --quiet --line-regexp --fixed-strings "$name" <<<"$installed" && continue 2
      done
      printf '%s\n' "$line"
    done < <(grep -v '^#' "tools/dev/packages/$purpose")
  done
}

# The first name of the line that apt could install.
available_package() {
  local name policy
  for name in ${1//|/ }; do
    # Not into a pipe: under pipefail, a grep that leaves early fails the line (apt-cache gets
    # SIGPIPE). A name that others only refer to has no candidate.
    policy=$(LC_ALL=C apt-cache policy "$name")
    [[ $policy != *'Candidate: '[^\(]* ]] || break
  done
  printf '%s\n' "$name" # None of them: apt-get says so better than we could.
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    stop_with "packages are missing; become root, or install sudo"
  fi
}

# Runs COMMAND so that packages it installs start no services: a bench wants the programs of Redis
# and Kannel, not servers on this machine's ports. See policy-rc.d(8).
without_services() {
  local policy=/usr/sbin/policy-rc.d code=0
  if [ -e $policy ]; then
    "$@"
    return
  fi
  printf '#!/bin/sh\nexit 101\n' | as_root tee $policy >/dev/null
  as_root chmod 755 $policy
  "$@" || code=$?
  as_root rm -f $policy
  return $code
}
