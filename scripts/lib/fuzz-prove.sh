# Shows that the differential fuzzer finds what it is there to find: breaks a copy of the tree on
# purpose, in one way at a time, and demands that the fuzzer notices. Sourced by scripts/fuzz.

prove_documents=200000

# The one file below DIRECTORY in which PATTERN (ERE) stands.
file_with() {
  local directory=$1 pattern=$2 files
  files=$(grep -rlE -- "$pattern" "$directory") || fail 70 "no file in Sources has '$pattern'"
  [[ $(wc -l <<<"$files") -eq 1 ]] || fail 70 "more than one file in Sources has '$pattern'"
  printf '%s\n' "$files"
}

# edit FILE PERL: an edit that changes nothing would prove nothing.
edit() {
  local file=$1 program=$2
  cp "$file" "$file.before"
  perl -0pi -e "$program" "$file"
  if cmp -s "$file" "$file.before"; then
    fail 70 "the edit '$program' does not apply to ${file##*/}: mend scripts/lib/fuzz-prove.sh"
  fi
  rm "$file.before"
}

# All edits that break something, in one place. Each takes the Sources of the copy.
break_gate() {
  edit "$(file_with "$1" '^feedscan_gate_result feedscan_gate\(.*[^;]$')" \
    's/(\nfeedscan_gate_result feedscan_gate\([^)]*\)\s*\{\n)/$1  return (feedscan_gate_result){.clean = count, .verdict = FEEDSCAN_CLEAN};\n/'
}

# A number in place of a record makes `[-{}]` and `[1{}]` valid. It is a scalar among the records
# too, which would be looked for in the input; nobody may look, or the copy would crash.
break_placeholder() {
  edit "$(file_with "$1" 'func feedPlaceholder\(_ bracket')" \
    's/(func feedPlaceholder\(_ bracket[^{]*\{\n)/$1    return try feedByte(0x30, at: start)\n/'
  edit "$(file_with "$1" 'strays\.append\(')" 's/strays\.append\(/_ = (/'
}

break_depth() {
  edit "$(file_with "$1" '> maximumDepth\b')" 's/> maximumDepth\b/> .max/g'
  edit "$(file_with "$1" '> limits\.depth\b')" 's/> limits\.depth\b/> .max/g'
}

# The number behind a word in the fuzzer's last line.
figure() {
  sed -n "\$s/.*$1 \\([0-9]*\\).*/\\1/p" "$2"
}

# prove_one NAME [EDIT]: builds the copy, edited, and fuzzes it.
prove_one() {
  local name=$1 change=${2-} copy=$prove_directory/tree log=$prove_directory/log status=0
  rm -rf "$copy/Sources"
  cp -R "$root/Sources" "$copy/Sources"
  [[ -z $change ]] || "$change" "$copy/Sources"
  swift build --package-path "$copy" --scratch-path "$prove_directory/build" \
    --configuration release --product FeedCoreFuzz </dev/null >"$log" 2>&1 || {
    tail -20 "$log" >&2
    fail 70 "the tree does not build: $name"
  }
  "$prove_directory/build/release/FeedCoreFuzz" differential --documents "$prove_documents" \
    --seeds "$root/Examples" --reports 1 >"$log" 2>&1 || status=$?
  judge_proof "$name" "$status" "$log" "${change:+broken}"
}

# judge_proof NAME STATUS LOG [broken]
judge_proof() {
  local name=$1 status=$2 log=$3 state=${4:-whole} wrong
  wrong=$(figure 'wrong verdicts' "$log")
  case $state in
    whole) ((status <= 1)) && [[ $wrong == 0 ]] || fail 1 "$name: wrong before any edit, see $log" ;;
    *) ((status == 1)) && ((${wrong:-0} > 0)) || fail 1 "$name: NOT FOUND, see $log" ;;
  esac
  printf '%s: %s differences, %s wrong verdicts in %s documents\n' \
    "$name" "$(figure differences "$log")" "$wrong" "$prove_documents"
}

prove() {
  prove_directory=$(mktemp -d "${TMPDIR:-/tmp}/feedcore-prove.XXXXXX")
  trap 'status=$?; ((status != 0)) || rm -rf "$prove_directory"; exit "$status"' EXIT
  say "building a copy four times in $prove_directory"
  mkdir "$prove_directory/tree"
  (cd "$root" && tar -cf - --exclude './.build*' --exclude './.git' .) |
    tar -xf - -C "$prove_directory/tree"
  prove_one 'as it is'
  prove_one 'without the gate' break_gate
  prove_one 'with a placeholder of one byte' break_placeholder
  prove_one 'without the depth checks' break_depth
}
