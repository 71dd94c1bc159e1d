# Tests the fuzzer itself: plants one fault at a time in a copy of the tree, and fails if the fuzzer
# does not find it. Sourced by scripts/fuzz.

self_test_documents=200000
planted_records=2000000

# Faults of replay. One copy has all of them, and FEEDCORE_PLANTED is the number of the active
# fault. The fuzzer finds the listed faults, a test finds test_fault, the address sanitizer finds
# sanitizer_fault.
replay_faults=(
  '1 a leading zero is accepted'
  '2 a control character is accepted in a string'
  '3 a repeated key is ignored'
  '4 the state forgets the list and its path'
  '5 the state forgets the types of containers'
  '6 the state forgets the kind of the last token'
  '7 the state forgets the inner object and its path'
  '8 the state forgets the depth and the ignored containers'
  '9 a key is not compared with the selected ones'
  '10 the limit of lists is ignored'
  '13 white space in a key is left out of a copy'
  '14 the places of values in a copy count white space'
  '15 a control character is left out with its string'
)
test_fault='11 a record that YAJL ends before its bound is taken'
sanitizer_fault='12 glue is compared beyond the end of the record'

# Prints the only file below DIRECTORY that matches PATTERN (ERE).
file_with() {
  local directory=$1 pattern=$2 files
  files=$(grep -rlE -- "$pattern" "$directory") || fail 70 "no file in Sources has '$pattern'"
  [[ $(wc -l <<<"$files") -eq 1 ]] || fail 70 "more than one file in Sources has '$pattern'"
  printf '%s\n' "$files"
}

# edit FILE PERL: fails if the edit changes nothing.
edit() {
  local file=$1 program=$2
  cp "$file" "$file.before"
  perl -0pi -e "$program" "$file"
  if cmp -s "$file" "$file.before"; then
    fail 70 "the edit '$program' does not apply to ${file##*/}: update scripts/lib/fuzz-self-test.sh"
  fi
  rm "$file.before"
}

# The edits that plant faults. Each takes the Sources of the copy.

# Input validation accepts all bytes, but still counts lines and characters for the positions.
break_input_validation() {
  edit "$(file_with "$1" 'return feedscan_validate_avx2\(')" \
    's/(\nfeedscan_validate_result feedscan_validate\([^)]*\)\s*\{\n)/$1
  feedscan_validate_result all = {.clean = count, .verdict = FEEDSCAN_CLEAN};
  for (size_t i = 0; i < count; i++) {
    all.newlines += bytes[i] == 0x0A;
    all.continuations += (bytes[i] & 0xC0) == 0x80;
  }
  return all;
/'
}

# A number as the placeholder of a record makes `[-{}]` and `[1{}]` valid. The number is also a scalar
# among the records without a position in the input. It is not recorded, or the copy would crash.
break_placeholder() {
  edit "$(file_with "$1" 'func feedPlaceholder\(_ bracket')" \
    's/(func feedPlaceholder\(_ bracket[^{]*\{\n)/$1    return try feedByte(0x30, at: start)\n/'
  edit "$(file_with "$1" 'nonRecordElements\.append\(')" 's/nonRecordElements\.append\(/_ = (/'
}

# Both kinds of lanes and the tracing parser check the depth.
break_depth() {
  local file files
  files=$(grep -rlE '> (maximumDepth|limits\.depth)\b' "$1") || fail 70 "no check of the depth"
  while IFS= read -r file; do
    edit "$file" 's/> (maximumDepth|limits\.depth)\b/> .max/g'
  done <<<"$files"
}

# plant FILE-PATTERN PERL: an edit for one of the replay faults.
plant() {
  local sources=$1 pattern=$2 program=$3
  edit "$(file_with "$sources" "$pattern")" "$program"
}

plant_replay_faults() {
  local sources=$1 state='func stateAfter\('
  plant "$sources" '^void feedscan_program_free\(feedscan_program \*program\) \{' \
    's/(#include "replay.h"\n)/$1
#include <stdlib.h>
int feedscan_planted(void) {
  static int fault = -1;
  if (fault < 0) fault = getenv("FEEDCORE_PLANTED") ? atoi(getenv("FEEDCORE_PLANTED")) : 0;
  return fault;
}
/'
  plant "$sources" '^typedef struct feedscan_program feedscan_program;' \
    's/(typedef struct feedscan_program feedscan_program;\n)/$1\nint feedscan_planted(void);\n/'
  plant "$sources" 'const uint8_t \*number_end\(' \
    "s/if \\(\\*at == '0'\\) \\{/if (*at == '0' && feedscan_planted() != 1) {/"
  plant "$sources" 'const uint8_t \*string_end\(' \
    's/if \([^\n]*\) (return at \+ __builtin_ctzll\(specials\);)/
      if (specials != 0 && feedscan_planted() != 2) $1
      if (specials != 0) {
        at += __builtin_ctzll(specials);
        if (*at >= 0x20 || at >= end) return at;
        at++;
        continue;
      }/'
  plant "$sources" 'if \(at != end \|\| repeated != 0\)' \
    's/at != end \|\| repeated != 0/at != end || (repeated != 0 \&\& feedscan_planted() != 3)/'
  plant "$sources" "$state" \
    's/( state\.listSlot = token\.listSlot\n)/ if feedscan_planted() != 4 {$1 }\n/'
  plant "$sources" "$state" \
    's/( state\.arrays = position\.arrays\n)/ if feedscan_planted() != 5 {$1 }\n/'
  # The path of the open container follows from the list and the inner object, and the reverse.
  plant "$sources" "$state" \
    's/( state\.path = position[^\n]*\n)/ if feedscan_planted() == 6 { state.last = .none }
     if feedscan_planted() != 4 \&\& feedscan_planted() != 7 {$1 }\n/'
  plant "$sources" "$state" 's/( state\.node = token\.node\n)/ if feedscan_planted() != 7 {$1 }\n/'
  plant "$sources" "$state" \
    's/( +state\.depth = [^\n]*\n +state\.ignored = [^\n]*\n)/ if feedscan_planted() != 8 {\n$1 }\n/'
  plant "$sources" 'step->node >= 0 && replay_selects\(' \
    's/step->node >= 0 && replay_selects/step->node >= 0 \&\& feedscan_planted() != 9 \&\& replay_selects/'
  plant "$sources" 'if \(elements > list_elements\)' \
    's/elements > list_elements/elements > list_elements \&\& feedscan_planted() != 10/'
  plant "$sources" 'if \(!is_in_string && \(byte ==' \
    's/if \(!is_in_string && \(byte ==/if ((!is_in_string || feedscan_planted() == 13) \&\& (byte ==/'
  plant "$sources" 'compact_position = \(uint32_t\)count;' \
    's/compact_position = \(uint32_t\)count;/compact_position = (uint32_t)(feedscan_planted() == 14 ? i : count);/'
  plant "$sources" 'bounds\[index\]\.upperBound == tokenEnd' \
    's/(bounds\[index\]\.upperBound == tokenEnd)/$1 || feedscan_planted() == 11/'
  plant "$sources" 'size_t close = next_special' \
    's/( size_t close = next_special\(&specials\);\n)/$1
    while (feedscan_planted() == 15 \&\& close < to \&\& chunk[close] < 0x20) {
      close = next_special(\&specials);
    }
/'
  plant "$sources" 'const replay_step \*step, const uint8_t \*at, const uint8_t \*end\) \{' \
    's/if \(length > \(size_t\)\(end - at\)/if ((length > (size_t)(end - at) \&\& feedscan_planted() != 12)/'
}

# figure WORD FILE: prints the number after the word in the fuzzer's last line.
figure() {
  sed -n "\$s/.*$1 \\([0-9]*\\).*/\\1/p" "$2"
}

# build_copy [FLAGS]: builds the edited copy.
build_copy() {
  local name=$1
  shift
  swift build --package-path "$self_test_directory/tree" --configuration release \
    --product FeedCoreFuzz "$@" </dev/null >"$self_test_directory/log" 2>&1 || {
    tail -20 "$self_test_directory/log" >&2
    fail 70 "the tree does not build: $name"
  }
}

# Sources keep their modification times, so that only edited files are rebuilt.
restore_copy() {
  rm -rf "$self_test_directory/tree/Sources"
  cp -Rp "$root/Sources" "$self_test_directory/tree/Sources"
}

# test_fault NAME [EDIT]: edits, builds and fuzzes the copy.
test_fault() {
  local name=$1 change=${2-} copy=$self_test_directory/tree log=$self_test_directory/log status=0
  [[ $name == *"$planted"* ]] || return 0
  restore_copy
  [[ -z $change ]] || "$change" "$copy/Sources"
  build_copy "$name" --scratch-path "$self_test_directory/build"
  "$self_test_directory/build/release/FeedCoreFuzz" differential --documents "$self_test_documents" \
    --seeds "$root/Examples" --reports 1 >"$log" 2>&1 || status=$?
  check_result "$name" "$status" "$log" "${change:+broken}"
}

# check_result NAME STATUS LOG [broken]
check_result() {
  local name=$1 status=$2 log=$3 state=${4:-whole} wrong
  wrong=$(figure 'wrong verdicts' "$log")
  case $state in
    whole) ((status <= 1)) && [[ $wrong == 0 ]] || fail 1 "$name: wrong before any edit, see $log" ;;
    *) ((status == 1)) && ((${wrong:-0} > 0)) || fail 1 "$name: NOT FOUND, see $log" ;;
  esac
  printf '%s: %s differences, %s wrong verdicts in %s documents\n' \
    "$name" "$(figure differences "$log")" "$wrong" "$self_test_documents"
}

# find_replay_fault FAULT: fuzzes the copy with one planted fault active, or with none.
find_replay_fault() {
  local number=${1%% *} name=${1#* } log=$self_test_directory/log status=0 expected=1
  [[ $name == *"$planted"* ]] || return 0
  ((number > 0)) || expected=0
  FEEDCORE_PLANTED=$number "$self_test_directory/build/release/FeedCoreFuzz" replay \
    --records "$planted_records" --seeds "$root/Examples" --reports 1 >"$log" 2>&1 || status=$?
  # A wrong row may also crash the fuzzer.
  if ((number > 0)) && grep -q '^CRASH' "$log"; then
    printf '%s: found by a crash\n' "$name"
    return
  fi
  ((status == expected)) && [[ -n $(figure differences "$log") ]] ||
    fail 1 "$name: $( ((number > 0)) && echo NOT FOUND || echo wrong before any fault), see $log"
  printf '%s: %s documents with differences in %s records\n' "$name" \
    "$(figure differences "$log")" "$planted_records"
}

# The planted copy fails a test that the tree passes.
find_test_fault() {
  local number=${1%% *} name=${1#* } log=$self_test_directory/log
  [[ $name == *"$planted"* ]] || return 0
  local run=(swift test --package-path "$self_test_directory/tree" --scratch-path
    "$self_test_directory/tests" --filter ReplayTests.twoObjectsAsOne)
  FEEDCORE_PLANTED=0 "${run[@]}" </dev/null >"$log" 2>&1 ||
    fail 1 "$name: the test fails before any fault, see $log"
  ! FEEDCORE_PLANTED=$number "${run[@]}" --skip-build </dev/null >"$log" 2>&1 ||
    fail 1 "$name: NOT FOUND, see $log"
  grep -q 'twoObjectsAsOne\|two objects passed as one record' "$log" ||
    fail 1 "$name: another test has failed, see $log"
  printf '%s: found by its test\n' "$name"
}

find_sanitizer_fault() {
  local number=${1%% *} name=${1#* } log=$self_test_directory/log
  [[ $name == *"$planted"* ]] || return 0
  build_copy "$name" --scratch-path "$self_test_directory/sanitized" "${sanitized_flags[@]}"
  ! FEEDCORE_PLANTED=$number SWIFT_BACKTRACE=enable=no \
    "$self_test_directory/sanitized/release/FeedCoreFuzz" replay --records "$planted_records" \
    --seeds "$root/Examples" --reports 1 >"$log" 2>&1 || fail 1 "$name: NOT FOUND, see $log"
  grep -q 'ERROR: AddressSanitizer' "$log" || fail 1 "$name: found, but not read, see $log"
  printf '%s: %s\n' "$name" "$(sed -n 's/^SUMMARY: //p' "$log")"
}

self_test() {
  local fault
  self_test_directory=$(mktemp -d "${TMPDIR:-/tmp}/feedcore-self-test.XXXXXX")
  trap 'status=$?; ((status != 0)) || rm -rf "$self_test_directory"; exit "$status"' EXIT
  say "building copies in $self_test_directory"
  mkdir "$self_test_directory/tree"
  (cd "$root" && tar -cf - --exclude './.build*' --exclude './.git' .) |
    tar -xf - -C "$self_test_directory/tree"
  test_fault 'without a fault'
  test_fault 'without input validation' break_input_validation
  test_fault 'with a placeholder of one byte' break_placeholder
  test_fault 'without the depth checks' break_depth
  restore_copy
  plant_replay_faults "$self_test_directory/tree/Sources"
  build_copy 'the faults of replay' --scratch-path "$self_test_directory/build"
  for fault in '0 replay as it is' "${replay_faults[@]}"; do find_replay_fault "$fault"; done
  find_test_fault "$test_fault"
  find_sanitizer_fault "$sanitizer_fault"
}
