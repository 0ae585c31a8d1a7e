# What comes from the system's package manager: the tools to build, and Docker's engine where it can be had. Sourced by ./sand.

# as_root COMMAND...: runs it as root, or says that it cannot.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    sudo "$@"
  else
    return 77
  fi
}

# apt_install NAME PACKAGE...: installs, with progress as one line.
apt_install() {
  local name=$1
  shift
  command -v apt-get >/dev/null 2>&1 || return 1
  say "installing $* with apt-get"
  if [ ! -e "$SAND_LOCAL/apt-updated" ]; then
    as_root apt-get -q update >"$SAND_LOGS/apt-update.log" 2>&1 </dev/null || return 1
    touch "$SAND_LOCAL/apt-updated"
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "$@" \
    >"$SAND_LOGS/apt-$name.log" 2>&1 </dev/null
}

# apt_knows PACKAGE: whether apt could install it; its lists are fetched first when they are not there.
apt_knows() {
  command -v apt-cache >/dev/null 2>&1 || return 1
  if [ ! -e "$SAND_LOCAL/apt-updated" ]; then
    as_root apt-get -q update >"$SAND_LOGS/apt-update.log" 2>&1 </dev/null && touch "$SAND_LOCAL/apt-updated"
  fi
  apt-cache show "$1" >/dev/null 2>&1
}

# need COMMAND PACKAGE: a tool that the build cannot do without.
need() {
  command -v "$1" >/dev/null 2>&1 && return
  apt_install "$2" "$2" || fail "'$1' is missing and could not be installed: install it (on Debian: apt-get install $2) and try again"
}

# want COMMAND PACKAGE: a tool that the platform can do without, with less isolation.
want() {
  command -v "$1" >/dev/null 2>&1 && return
  apt_install "$2" "$2" || say "'$1' is missing and could not be installed ($2); going on without it"
}

set_up_system() {
  need thrift thrift-compiler
  need mvn maven
  need flock util-linux
  want dockerd docker.io
  want docker docker-cli
  want debootstrap debootstrap
  want iptables iptables
}
