# Shared by the scripts: the toolchain and the system packages.
# Sourced, never run. Works with bash 3.2, which macOS ships. Writes to standard error only.

minimum_swift_major=6
minimum_swift_minor=3

say() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# fail STATUS MESSAGE…
fail() {
  local status=$1
  shift
  say "$@"
  exit "$status"
}

fail_without_swift() {
  fail 69 "$1 FeedCore needs Swift $minimum_swift_major.$minimum_swift_minor or newer." \
    "Get it from https://www.swift.org/install, open a new shell and run this command again."
}

# swift_build ARGUMENT…: runs `swift build` with deterministic hashes. SwiftPM passes the flags for
# package traits in the order of hashes, and a changed order compiles all modules again.
swift_build() {
  SWIFT_DETERMINISTIC_HASHING=1 swift build "$@"
}

# Prints the directory of the toolchain's static libraries for Linux; fails if it has none.
static_libraries() {
  local resources
  [[ $OSTYPE == linux* ]] || return 1
  resources=$(swift -print-target-info 2>/dev/null </dev/null |
    sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
  [[ -f ${resources}_static/linux/libFoundationEssentials.a ]] || return 1
  printf '%s\n' "${resources}_static/linux"
}

# This is fast, so scripts call it first.
require_swift() {
  command -v swift >/dev/null || fail_without_swift "there is no 'swift' on the PATH."
}

# Runs the toolchain (about 50 ms), so call it only before a build.
require_swift_version() {
  local reply
  reply=$(swift --version 2>/dev/null </dev/null) || fail_without_swift "'swift' does not run."
  [[ $reply =~ Swift\ version\ ([0-9]+)\.([0-9]+) ]] || return 0
  local major=${BASH_REMATCH[1]} minor=${BASH_REMATCH[2]}
  if ((major < minimum_swift_major ||
    (major == minimum_swift_major && minor < minimum_swift_minor))); then
    fail_without_swift "the 'swift' on the PATH is $major.$minor."
  fi
}

# Runs a command as root. Asks for a password only on a terminal.
as_root() {
  if ((EUID == 0)); then
    "$@"
  elif ! command -v sudo >/dev/null; then
    say "this needs root, and there is no 'sudo'."
    return 1
  elif { : </dev/tty; } 2>/dev/null; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@" \
    </dev/null >&2
}

# Updates the package lists only if they lack a package or are too old to fetch it.
install_with_apt() {
  if apt-cache show "$@" >/dev/null 2>&1; then
    apt_get install -y --no-install-recommends "$@" && return
  fi
  say "updating the package lists (apt-get update)"
  apt_get update && apt_get install -y --no-install-recommends "$@"
}

install_with_brew() {
  NONINTERACTIVE=1 HOMEBREW_NO_AUTO_UPDATE=1 brew install "$@" </dev/null >&2
}

# install_packages FOR_APT FOR_BREW WHAT: takes the packages for apt-get and for brew, each list as one
# argument, and a description for the message if there is neither.
install_packages() {
  local for_apt=() for_brew=()
  read -r -a for_apt <<<"$1"
  read -r -a for_brew <<<"$2"
  if command -v apt-get >/dev/null; then
    say "installing $1 (apt-get)"
    install_with_apt "${for_apt[@]}" ||
      fail 69 "the installation failed. Run as root: apt-get install $1"
  elif command -v brew >/dev/null; then
    say "installing $2 (brew)"
    install_with_brew "${for_brew[@]}" ||
      fail 69 "the installation failed. Try: brew install $2"
  else
    fail 69 "there is neither apt-get nor brew. Install $3, and run this command again."
  fi
}

# Installs the C libraries that pkg-config does not find, and pkg-config itself. An entry has the names
# for pkg-config, apt-get and brew.
install_system_packages() {
  local for_apt=() for_brew=() missing=() library
  command -v pkg-config >/dev/null || {
    missing+=(pkg-config) for_apt+=(pkg-config) for_brew+=(pkgconf)
  }
  for library in yajl:libyajl-dev:yajl lmdb:liblmdb-dev:lmdb libxxhash:libxxhash-dev:xxhash \
    libisal:libisal-dev:isa-l libzstd:libzstd-dev:zstd zlib:zlib1g-dev:zlib "$@"; do
    pkg-config --exists "${library%%:*}" 2>/dev/null && continue
    missing+=("${library%%:*}")
    for_brew+=("${library##*:}")
    library=${library#*:}
    for_apt+=("${library%%:*}")
  done
  ((${#missing[@]} == 0)) || install_packages "${for_apt[*]}" "${for_brew[*]}" \
    "${missing[*]} with their headers and pkg-config files"
}

# Installs the C libraries, and the libraries that the package Benchmarks measures as peers.
install_benchmark_packages() {
  install_system_packages simdjson:libsimdjson-dev:simdjson RapidJSON:rapidjson-dev:rapidjson \
    sqlite3:libsqlite3-dev:sqlite
}

# Installs the programs that are not on the PATH. An entry has the name of the program, and those of its
# packages for apt-get and brew.
install_programs() {
  local program for_apt=() for_brew=()
  for program in "$@"; do
    command -v "${program%%:*}" >/dev/null && continue
    for_brew+=("${program##*:}")
    program=${program#*:}
    for_apt+=("${program%%:*}")
  done
  ((${#for_apt[@]} == 0)) || install_packages "${for_apt[*]}" "${for_brew[*]}" "${for_apt[*]}"
}
