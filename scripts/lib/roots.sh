# Root directories of other systems for scripts/test-release, made by debootstrap and used without a
# network.
# Sourced after setup.sh, with $work and $base set; never run. Needs root.
: "${work:?}" "${base:?}"

# make_root SUITE NAME [PACKAGE…]: makes $base/NAME if it does not exist.
make_root() {
  local suite=$1 name=$2 include='' mirror=http://deb.debian.org/debian
  shift 2
  [[ ! -e $base/$name.done ]] || return 0
  (($# == 0)) || include=--include=$(IFS=,; printf '%s' "$*")
  rm -rf --one-file-system "${base:?}/$name"
  say "making a root of $suite${include:+ with $*}"
  # shellcheck disable=SC2086
  debootstrap --variant=minbase $include "$suite" "$base/$name" "$mirror" >"$work/debootstrap" 2>&1 || {
    say "$(tail -3 "$work/debootstrap")"
    rm -rf --one-file-system "${base:?}/$name"
    return 1
  }
  rm -f "$base/$name"/var/cache/apt/archives/*.deb
  touch "$base/$name.done"
}

# enter_copy NAME: makes a copy of a root, and sets $copy to it.
enter_copy() {
  leave_copy
  copy=$work/copy
  cp -a "$base/$1" "$copy"
  mount -t proc proc "$copy/proc"
  mount --rbind /dev "$copy/dev"
  mount --make-rslave "$copy/dev"
}

leave_copy() {
  local name
  [[ -n ${copy:-} && -d $copy ]] || return 0
  for name in dev proc; do
    # The host's devices must not be in it when it is removed.
    ! mountpoint -q "$copy/$name" || umount -R "$copy/$name" ||
      fail 1 "$copy/$name is still mounted: end what uses it, and unmount it."
  done
  rm -rf --one-file-system "$copy"
}

# inside COMMAND…: runs a command in the copy, with only the loopback interface and a clean environment.
inside() {
  timeout 300 unshare --net sh -c 'ip link set lo up && exec "$@"' sh \
    chroot ${inside_user:+--userspec="$inside_user"} "$copy" env -i HOME=/tmp LC_ALL=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# Lists the files of the copy, without the files of the package manager and without /run, where
# systemd-analyze writes and which a restart clears.
list_files() {
  (cd "$copy" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./run -o -path ./tmp \
    -o -path ./var/lib/dpkg -o -path ./var/cache -o -path ./var/log -o -path ./var/lib/apt \) -prune \
    -o -print | sort)
}

# serve_and_ask COMMAND…: starts a server in the copy, waits for its line, sends a request and stops it.
serve_and_ask() {
  # shellcheck disable=SC2016
  inside env CREDENTIALS="${CREDENTIALS:-}" bash -c '
    exec 3< <(exec "$@" 2>&1)
    server=$!
    # A server that survives a failure would keep the copy mounted.
    trap "kill $server 2>/dev/null" EXIT
    # The server prints this line when it listens.
    until IFS= read -r -t 60 line <&3 && [[ $line == "HTTP on "* ]]; do
      [[ -n $line ]] || exit 1
      printf "%s\n" "$line" >&2
    done
    exec 4<>/dev/tcp/127.0.0.1/8080
    printf "GET /feeds/universities/count HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" >&4
    [[ -z $CREDENTIALS ]] || printf "%s\r\n" "$CREDENTIALS" >&4
    printf "\r\n" >&4
    found=$(timeout 20 cat <&4 3<&-)
    exec 4>&-
    kill -TERM "$server"
    wait "$server" || { echo "the server ended with $?" >&2; exit 1; }
    [[ $found == *" 200 "*54* ]] || { printf "%s\n" "$found"; exit 1; }
  ' bash "$@"
}
