# Debian packages: tools/dev/packages/PURPOSE has one a line. `a | b` means the first of them that
# this release of Debian has; any of them, installed, is enough.

APT_OPTIONS=(-o DPkg::Lock::Timeout=300)

# need_packages PURPOSE…: installs what is missing. With nothing missing it touches no network.
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

# The progress goes out by a descriptor of its own, opened after sudo, which closes all above 2:
# apt-get closes it for dpkg, and a package's script whose standard output is closed fails in its
# first echo (that of ccache, on Debian 13).
install_packages() {
  say "installing ${#} packages and what they need: $*"
  # What an interrupted installation left; dpkg refuses everything else before it is done.
  quietly dpkg-configure "finishing an earlier installation (dpkg --configure -a)" \
    without_services as_root env DEBIAN_FRONTEND=noninteractive dpkg --configure -a
  without_services with_progress apt-install "installing packages (apt-get install)" apt_progress \
    as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
    sh -c 'exec apt-get -o APT::Status-Fd=3 "$@" 3>&1' sh "${APT_OPTIONS[@]}" \
    -o Dpkg::Use-Pty=0 install --yes --fix-broken --no-install-recommends "$@"
}

# Lines of progress from what apt-get writes with APT::Status-Fd: dlstatus:N:PERCENT:WHAT while it
# downloads, pmstatus:PACKAGE:PERCENT:WHAT while it installs.
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

# package_names LINES: of each line the name that is installed here.
package_names() {
  local line
  while IFS= read -r line; do
    available_package "$line"
  done <<<"$1"
}

# The first name of the line that apt could install.
available_package() {
  local name policy
  for name in ${1//|/ }; do
    # Not into a pipe: under pipefail, a grep that leaves early fails the line (apt-cache gets
    # SIGPIPE). A name that others only refer to has no candidate.
    policy=$(LC_ALL=C apt-cache "${APT_OPTIONS[@]}" policy "$name")
    [[ $policy != *'Candidate: '[^\(]* ]] || break
  done
  printf '%s\n' "$name" # None of them: apt-get says so better than we could.
}

# Whether this user is root, or sudo lets them run apt-get. Asks for the password where sudo does.
may_install() {
  [ "$(id -u)" -ne 0 ] || return 0
  command -v sudo >/dev/null && sudo apt-get --version >/dev/null
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# For who may not install. Which of several names this Debian has is asked of lists of our own where
# the system has none yet.
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

# Runs COMMAND so that packages it installs start no services: a bench wants the programs of Redis
# and Kannel, not servers on this machine's ports. See policy-rc.d(8). The policy goes when COMMAND
# ends, however it ends; one that kill -9 left is recognised by its text.
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
