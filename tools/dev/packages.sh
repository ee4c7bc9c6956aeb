# Debian packages: tools/dev/packages/PURPOSE has one a line. `a | b` means the first one that this
# release of Debian has; if any of them is installed, that is enough.

APT_OPTIONS=(-o DPkg::Lock::Timeout=300)

# need_packages PURPOSE…: installs missing packages. If none is missing it does not use the network.
need_packages() {
  local missing names
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  command -v apt-get >/dev/null ||
    stop_with "this system has no apt-get. Please install by its own means: ${missing//$'\n'/, }"
  if ! may_install; then
    say_what_to_install "$missing"
    exit 1
  fi
  take_turns
  say "fetching the lists of Debian packages"
  quietly apt-update "fetching the lists of packages (apt-get update)" as_root \
    apt-get "${APT_OPTIONS[@]}" update
  mapfile -t names < <(package_names "$missing")
  install_packages "${names[@]}"
  end_turn
}

# Progress is written to descriptor 3. It is opened after sudo, which closes all descriptors above
# 2. It is not standard output, because apt-get closes the status descriptor for dpkg, and a
# package's script without standard output fails at its first echo (ccache, on Debian 13).
install_packages() {
  say "installing ${#} packages and what they need: $*"
  # Finishes an interrupted installation, before which dpkg refuses everything else.
  quietly dpkg-configure "finishing an earlier installation (dpkg --configure -a)" \
    without_services as_root env DEBIAN_FRONTEND=noninteractive dpkg --configure -a
  without_services with_progress apt-install "installing packages (apt-get install)" apt_progress \
    as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
    sh -c 'exec apt-get -o APT::Status-Fd=3 "$@" 3>&1' sh "${APT_OPTIONS[@]}" \
    -o Dpkg::Use-Pty=0 install --yes --fix-broken --no-install-recommends "$@"
}

# Makes lines of progress from the output of apt-get with APT::Status-Fd: dlstatus:N:PERCENT:WHAT
# during downloads, pmstatus:PACKAGE:PERCENT:WHAT during the installation.
apt_progress() {
  local line count=
  while IFS= read -r line; do
    if [[ $line =~ ^dlstatus:[0-9]+:[0-9.]+:(.*) ]]; then
      printf '%s\n' "${BASH_REMATCH[1]}"
    elif [[ $line =~ ^pmstatus:.*:([0-9]+)(\.[0-9]*)?:(.*) ]]; then
      printf 'installing%s packages: %d %% (%s)\n' "$count" "${BASH_REMATCH[1]}" \
        "${BASH_REMATCH[3]}"
    elif [[ $line =~ \ ([0-9]+)\ newly\ installed, ]]; then
      count=" ${BASH_REMATCH[1]}"
    fi
  done
}

# Prints the lines of the lists of which no package is installed.
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

# package_names LINES: prints for each line the package to install on this system.
package_names() {
  local line
  while IFS= read -r line; do
    available_package "$line"
  done <<<"$1"
}

# Prints the first name of the line that apt can install.
available_package() {
  local name policy
  for name in ${1//|/ }; do
    # No pipe: a grep that ends early would give apt-cache SIGPIPE, and fail under pipefail. A name
    # that only other packages mention has no candidate.
    policy=$(LC_ALL=C apt-cache "${APT_OPTIONS[@]}" policy "$name")
    [[ $policy != *'Candidate: '[^\(]* ]] || break
  done
  printf '%s\n' "$name" # If apt has none of them, apt-get reports it.
}

# Whether this user is root, or sudo lets them run apt-get. Asks for the password where sudo does.
may_install() {
  [ "$(id -u)" -ne 0 ] || return 0
  command -v sudo >/dev/null && sudo apt-get --version >/dev/null
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# For users who may not install packages. If the system has no package lists yet, fetches lists into
# build/apt, to find out which of several names this Debian has.
say_what_to_install() {
  local names own=$PWD/build/apt
  if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
    mkdir -p "$own/lists/partial" "$own/cache/archives/partial"
    APT_OPTIONS+=(-o "Dir::State::Lists=$own/lists" -o "Dir::Cache=$own/cache")
    apt-get "${APT_OPTIONS[@]}" update >/dev/null 2>&1 || true
  fi
  mapfile -t names < <(package_names "$1")
  cat >&2 <<TEXT
./dev: packages are missing, and you are neither root nor allowed to run apt-get with sudo.
Ask an administrator to run, as root:

  apt-get update && apt-get install --yes --no-install-recommends ${names[*]}

Then start ./dev again: it needs no rights beyond that.
TEXT
}

SERVICES_POLICY=/usr/sbin/policy-rc.d
SERVICES_FORBIDDEN='#!/bin/sh
# Written by ./dev of Merpati while it installs packages. Remove it if you find it afterwards.
exit 101'

# Runs COMMAND so that packages which it installs start no services: a bench needs the programs of
# Redis and Kannel, not servers on this machine's ports. See policy-rc.d(8). The policy is removed
# at the end of COMMAND; one that remained after kill -9 is recognised by its text.
without_services() {
  if [ -e $SERVICES_POLICY ] && [ "$(<$SERVICES_POLICY)" != "$SERVICES_FORBIDDEN" ]; then
    "$@"
    return
  fi
  trap allow_services EXIT
  trap 'exit 130' INT TERM HUP
  printf '%s\n' "$SERVICES_FORBIDDEN" | as_root tee $SERVICES_POLICY >/dev/null
  as_root chmod 755 $SERVICES_POLICY
  local code=0
  "$@" || code=$?
  allow_services
  trap - EXIT INT TERM HUP
  return $code
}

allow_services() { as_root rm -f $SERVICES_POLICY; }
