# Shared by scripts/install, scripts/release and scripts/docs: the exports of the C library, the manual
# page and the completions. Sourced after setup.sh, with $root set; never run.
: "${root:?}"

# Prints the functions that the header declares. The library exports exactly these.
declared_functions() {
  grep -oE '\bfeedcore_[a-z_]+\(' "$root/include/feedcore.h" | tr -d '(' | sort -u
}

# write_exports ABI: prints a version script for the linker.
write_exports() {
  printf 'FEEDCORE_%s {\n  global:\n' "$1"
  declared_functions | sed 's/.*/    &;/'
  printf '  local: *;\n};\n'
}

# wanted TOOLS OBJECT…: prints the libraries that objects need, as recorded by the compiler.
wanted() {
  local tools=$1 object record
  shift
  record=$(mktemp)
  for object in "$@"; do
    "$tools/swift-autolink-extract" -o "$record" "$object" 2>/dev/null || continue
    cat "$record"
  done | tr ' ' '\n' | grep -E '^-l' | sort -u
  rm -f "$record"
}

# install_manual PREFIX PROGRAM
install_manual() {
  mkdir -p "$1/share/man/man1"
  python3 "$root/scripts/lib/manual.py" "$2" >"$1/share/man/man1/feedcore.1"
}

# install_completions PREFIX PROGRAM
install_completions() {
  local directory=$1/share program=$2
  mkdir -p "$directory/bash-completion/completions" "$directory/zsh/site-functions" \
    "$directory/fish/vendor_completions.d"
  "$program" --generate-completion-script bash >"$directory/bash-completion/completions/feedcore"
  "$program" --generate-completion-script zsh >"$directory/zsh/site-functions/_feedcore"
  "$program" --generate-completion-script fish \
    >"$directory/fish/vendor_completions.d/feedcore.fish"
}

# write_package DIRECTORY VERSION NAME DESCRIPTION LIBRARIES [LIBDIR]: writes a pkg-config file. It can
# be moved with its prefix.
write_package() {
  local libdir=${6:-lib} up=..
  [[ $libdir == lib ]] || up=../..
  cat >"$1/$3.pc" <<PACKAGE
prefix=\${pcfiledir}/../$up
libdir=\${prefix}/$libdir
includedir=\${prefix}/include

Name: $3
Description: $4
Version: $2
Cflags: -I\${includedir}/feedcore
Libs: $5
PACKAGE
}
