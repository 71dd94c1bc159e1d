# The two release builds of the program feedcore. Sourced after setup.sh, with $root set; never run.
# Works with bash 3.2, which macOS ships. Writes to standard error only.
#
#   core   in .build-core, without package traits: the parser, the store and the command line. The
#          command line and the callers of services are compiled without optimization.
#   full   in .build-release, with the package traits Remote and Server: all of feedcore
: "${root:?}"

# select_build core|full: sets $binary, and the variables that the functions below read.
select_build() {
  build=$1
  if [[ $build == core ]]; then
    build_directory=$root/.build-core
    package=$build_directory/package
  else
    build_directory=$root/.build-release
    package=$root
  fi
  binary=$build_directory/release/feedcore
  stamp=$build_directory/feedcore.stamp
  resolved=$build_directory/feedcore.resolved
}

# needs_full_build WORD…: succeeds if the core build lacks this command or a part of it. The
# commands are those of CommandTraits.swift. Completion scripts and the dump describe the full build.
needs_full_build() {
  # A store in a cluster needs the trait Cluster.
  case " ${FEEDCORE_STORE:-} $*" in
  *" redis"*://* | *=redis*://*) return 0 ;;
  esac
  [[ ${1:-} != help ]] || shift
  case ${1:-} in
  --generate-completion-script* | ---completion | --experimental-dump-help) return 0 ;;
  esac
  grep -qF -e "\"${1:-} ${2:-}\": \"" -e "\"${1:-}\": \"" \
    "$root/Sources/FeedCoreCLI/Commands/CommandTraits.swift"
}

# The inputs of the build. The time stamp of a directory changes when a file in it is deleted or
# renamed. The stamp file holds this list, which changes when a directory is added or removed.
inputs=("$root/Package.swift" "$root/Sources")
[[ ! -d $root/include ]] || inputs+=("$root/include")

# The build writes Package.resolved after the stamp, so its content is compared and not its date.
has_same_resolution() {
  if [[ -e $root/Package.resolved ]]; then
    cmp -s "$root/Package.resolved" "$resolved"
  else
    [[ ! -e $resolved ]]
  fi
}

# Compares the change time (ctime), which is new even if a file was copied with an old modification
# time. `-H` reads the date of the toolchain and not of the link to it: a binary needs the runtime
# that it was built with.
is_up_to_date() {
  local recorded changed
  [[ -x $binary && -f $stamp ]] || return 1
  recorded=$(<"$stamp")
  [[ $recorded == "${inputs[*]}" ]] || return 1
  has_same_resolution || return 1
  changed=$(find -H "$(command -v swift)" "${inputs[@]}" -newercm "$stamp" -print -quit) || return 1
  [[ -z $changed ]]
}

# Without traits SwiftPM removes the pins of all unused packages from Package.resolved. The core
# build therefore has its own package directory, with links to the sources and a copy of the pins.
link_core_package() {
  local name
  mkdir -p "$package" || return
  for name in Package.swift Sources Tests include; do
    ln -sfn "../../$name" "$package/$name" || return
  done
  if [[ -e $root/Package.resolved ]]; then
    cp -f "$root/Package.resolved" "$package/Package.resolved"
  else
    rm -f "$package/Package.resolved"
  fi
}

say_what_is_built() {
  local what="all of feedcore, with HTTP and RESP" duration="about 6 minutes"
  if [[ $build == core ]]; then
    what="feedcore without HTTP and RESP" duration="about 90 seconds"
  fi
  if [[ -x $binary ]]; then
    say "building $what, as far as it has changed"
  else
    say "building $what ($duration the first time)"
  fi
}

# Brings the selected build up to date. Runs in a subshell, whose end releases the lock. Without
# flock (macOS), SwiftPM's lock on the scratch path separates two builds, and each installs a stamp
# that is older than its own build.
build_program() (
  mkdir -p "$build_directory" || exit 70
  if command -v flock >/dev/null; then
    exec 9>"$build_directory/feedcore.lock"
    flock -n 9 || {
      say "waiting for another build of this clone"
      flock 9
    }
    ! is_up_to_date || exit 0
  fi
  require_swift_version
  # Services that a package starts would keep the lock.
  install_system_packages 9>&-

  # The stamp is written before the build starts, so that later changes are newer.
  new_stamp=$stamp.$$
  trap 'rm -f "$new_stamp"' EXIT
  printf '%s\n' "${inputs[*]}" >"$new_stamp"
  say_what_is_built
  start=$SECONDS
  options=()
  # -s strips the binary. The linker of macOS ignores it with a warning.
  [[ $OSTYPE != linux* ]] || options+=(-Xlinker -s)
  if [[ $build == core ]]; then
    link_core_package || exit 70
    export FEEDCORE_QUICK_BUILD=1
    options+=(--disable-default-traits -debug-info-format none)
    # A command starts in half the time, and an ingest takes 10 MB less of memory. The full build
    # shares its directory with the libraries for C, which share a runtime with their program.
    ! static_libraries >/dev/null || options+=(--static-swift-stdlib)
  else
    unset FEEDCORE_QUICK_BUILD
  fi
  options+=(--package-path "$package" --scratch-path "$build_directory" --configuration release)
  steps=(--product=feedcore)
  # SwiftPM compiles C last, and the parser waits for its C target. This step saves 10 s.
  [[ $build == full || -x $binary ]] || steps=(--target=CFeedScan "${steps[@]}")
  for step in "${steps[@]}"; do
    swift_build "$step" "${options[@]}" </dev/null >&2 9>&- ||
      fail 70 "the build failed, see above. If this clone was moved or copied," \
        "delete $build_directory and try again."
  done
  say "built in $((SECONDS - start)) s"
  if [[ -e $root/Package.resolved ]]; then
    cp -f "$root/Package.resolved" "$resolved"
  else
    rm -f "$resolved"
  fi
  mv -f "$new_stamp" "$stamp"
)

# Brings the full build up to date, and sets $binary to its program.
build_full_program() {
  require_swift
  select_build full
  is_up_to_date || build_program
}
