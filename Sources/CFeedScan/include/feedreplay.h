#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "feedscan.h"

// Replay repeats, byte for byte, what YAJL has accepted. It holds no grammar of its own.
//
// Glue is the text between two variable tokens: brackets, commas, colons, white space, keys and
// literals. A step maps a state and the exact bytes of some glue to the token that follows and to
// the next state. Steps are added only from records that YAJL has accepted whole. A record that is
// a chain of known steps is therefore valid, and every other record goes to YAJL. `feedtally.h` counts
// the values of documents that the walk, or YAJL, has written.

/// The kind of value in a tape entry.
typedef enum __attribute__((enum_extensibility(closed))) feedscan_kind : uint8_t {
  /// Nothing: an entry of zeros.
  feedscan_kind_absent __attribute__((swift_name("absent"))) = 0,
  feedscan_kind_null __attribute__((swift_name("null"))) = 1,
  feedscan_kind_true __attribute__((swift_name("true"))) = 2,
  feedscan_kind_false __attribute__((swift_name("false"))) = 3,
  feedscan_kind_number __attribute__((swift_name("number"))) = 4,
  feedscan_kind_string __attribute__((swift_name("string"))) = 5,
  /// An array where a list is selected: its elements are elsewhere on the tape.
  feedscan_kind_list __attribute__((swift_name("list"))) = 6,
  /// A parent object of selected values.
  feedscan_kind_group __attribute__((swift_name("group"))) = 7,
  /// An object or array in which nothing is selected.
  feedscan_kind_object __attribute__((swift_name("object"))) = 8,
  feedscan_kind_array __attribute__((swift_name("array"))) = 9,
  /// A key that occurs twice, where that is an error.
  feedscan_kind_repeated __attribute__((swift_name("repeated"))) = 10,
  /// The end of an object or array, in the values of a document. In other records, an unselected
  /// key, with the node of its object as its path.
  feedscan_kind_end __attribute__((swift_name("end"))) = 11,
} feedscan_kind;

enum {
  /// The text was unescaped and lies in the tape's arena, not in the chunk.
  FEEDSCAN_IN_ARENA = 1,
  /// The text lies in the chunk with its escapes.
  FEEDSCAN_ESCAPED = 2,
  /// For the list of a document's values: the record has no white space outside strings.
  FEEDSCAN_COMPACT = 4,
  /// For the same list: the arena has a copy of the record without that white space. The values
  /// have their positions in the copy. The second slot, of absent kind, has the copy's offset and
  /// length.
  FEEDSCAN_COPIED = 8,
  /// For the same list: the tape has only the first `FEEDSCAN_RECORD_VALUES` values of the record.
  FEEDSCAN_CUT = 16,
};

enum {
  /// The maximum number of values of a document's record on the tape.
  FEEDSCAN_RECORD_VALUES = 1 << 18,
};

/// One value of a record. All zeros is an absent value.
typedef struct {
  feedscan_kind kind;
  uint8_t flags;
  /// In the values of a document, the value's path.
  uint16_t path;
  /// Bytes of a string or number; elements of a list.
  uint32_t length;
  /// The offset of the first of them.
  uint32_t offset;
  /// A byte of the value's token in the chunk: its first, or the one after its last. In a copied
  /// record, where the value begins in the copy.
  uint32_t position;
} feedscan_tape_entry;

/// The output of the walk. The caller owns the memory and grows it.
typedef struct {
  /// The row of the next record: one entry a slot.
  feedscan_tape_entry *row;
  feedscan_tape_entry *elements;
  size_t element_count, element_capacity;
  /// 64 bytes after the capacity may be written too.
  uint8_t *arena;
  size_t arena_count, arena_capacity;
} feedscan_tape;

/// What an operation of a step writes.
typedef enum {
  /// An entry into a slot of the row.
  FEEDSCAN_STORE,
  /// An element of the open list.
  FEEDSCAN_ELEMENT,
  FEEDSCAN_OPEN_LIST,
  /// The open list into its slot, with the position at which it was opened.
  FEEDSCAN_CLOSE_LIST,
  /// The same with a position of its own.
  FEEDSCAN_CLOSE_LIST_HERE,
} feedscan_operation_code;

/// One value in the glue of a step.
typedef struct {
  uint8_t code;
  feedscan_kind kind;
  /// The slot; of an element, the path.
  uint16_t slot;
  /// Bytes of the value, or 0 if they do not matter.
  uint32_t length;
  /// The entry's position, relative to the start of the glue.
  uint32_t position;
  /// The same in the glue without white space. Set when the step is added.
  uint32_t compact_position;
} feedscan_operation;

/// The token after the glue of a step.
typedef enum {
  /// The content of a string, up to its closing quote.
  FEEDSCAN_TOKEN_STRING,
  FEEDSCAN_TOKEN_NUMBER,
  /// The content of a key that is not selected.
  FEEDSCAN_TOKEN_KEY,
  /// No token: the glue was cut where a value ends.
  FEEDSCAN_TOKEN_NONE,
  /// The end of the record.
  FEEDSCAN_TOKEN_END,
} feedscan_token;

/// Where the token of a step is written.
typedef enum { FEEDSCAN_DROPPED, FEEDSCAN_IN_SLOT, FEEDSCAN_IN_LIST } feedscan_target;

/// A step to be added to a program.
typedef struct {
  const uint8_t *glue;
  uint32_t length;
  feedscan_token token;
  feedscan_target target;
  uint16_t slot, path;
  /// For a key, the node whose keys are selected; -1 if there is none.
  int16_t node;
  /// Whether to count how often the step is taken. The steps of a document are counted anyway.
  bool is_counted;
  /// Whether the glue begins with the closing quote of a string.
  bool begins_in_string;
  const feedscan_operation *operations;
  uint32_t operation_count;
  /// The state after the token; unused at the end of a record.
  uint16_t next_state;
} feedscan_step;

/// The options of a program.
typedef struct {
  /// Slots of a row.
  uint32_t slots;
  /// The maximum number of steps, up to `FEEDSCAN_MAXIMUM_STEPS`.
  uint32_t steps;
  /// True if strings keep their escapes and carry their paths.
  bool is_document;
  /// Limits; a record that exceeds one of them goes to YAJL.
  uint32_t string_bytes, number_bytes, key_bytes, list_elements;
} feedscan_program_options;

enum {
  FEEDSCAN_MAXIMUM_STEPS = 4096,
  /// The maximum number of states of a program.
  FEEDSCAN_MOST_STATES = 1024,
  /// The maximum number of steps from one state. All of them are compared before a record goes to
  /// YAJL.
  FEEDSCAN_STEPS_OF_STATE = 64,
  /// Longer glue is not learned.
  FEEDSCAN_GLUE_BYTES = 4096,
};

/// The steps that a lane has learned. Used by one thread at a time.
typedef struct feedscan_program feedscan_program;

/// Makes an empty program; NULL if memory runs out.
feedscan_program *feedscan_program_make(feedscan_program_options options);
void feedscan_program_free(feedscan_program *program);

/// Adds a selected key of a node; false if memory runs out. A key token must not be one of the
/// selected keys of its node.
bool feedscan_program_select(
  feedscan_program *program, int16_t node, const uint8_t *key, size_t length);

/// Removes all steps and states; keeps the selected keys.
void feedscan_program_clear(feedscan_program *program);

/// Adds a state; -1 if the program is full. The first state is the start of a record.
int32_t feedscan_program_add_state(feedscan_program *program);

/// How many steps lead from a state.
uint32_t feedscan_program_steps_from(const feedscan_program *program, uint16_t state);

/// The step from a state with this glue and token; -1 if there is none.
int32_t feedscan_program_find(
  const feedscan_program *program, uint16_t state, const uint8_t *glue, size_t length,
  feedscan_token token);

/// Adds a step from a state; -1 if the program or the state is full, or the glue is empty or too
/// long.
int32_t feedscan_program_add(
  feedscan_program *program, uint16_t state, const feedscan_step *step);

/// The state after a step.
uint16_t feedscan_program_state_after(const feedscan_program *program, int32_t step);

/// Makes a step the first guess after another one, or at the start of a record (-1).
void feedscan_program_guess(feedscan_program *program, int32_t before, int32_t step);

/// How many steps there are.
uint32_t feedscan_program_step_count(const feedscan_program *program);

/// How often validated records have taken a step that is counted. Describes the values of the step
/// in `values`: its operations, and the target, path and kind of its token.
uint64_t feedscan_program_taken(
  const feedscan_program *program, int32_t step, feedscan_step *values);

/// Half-open bounds of a record in its chunk.
typedef struct {
  size_t lower, upper;
} feedscan_range;

/// The bytes of some records, and their special bytes: see `feedscan_find_specials`. Replay and
/// `feedscan_condense` read them.
typedef struct {
  const uint8_t *chunk;
  const uint64_t *specials;
  size_t first_special;
} feedscan_text;

typedef enum {
  /// Every record was validated.
  FEEDSCAN_REPLAYED,
  /// The next record is not a chain of known steps, or exceeds a limit: YAJL decides.
  FEEDSCAN_UNKNOWN,
  /// The tape has no space for the next record.
  FEEDSCAN_NO_ELEMENTS,
  FEEDSCAN_NO_ARENA,
} feedscan_replay_stop;

typedef struct {
  /// How many records were validated and are on the tape.
  size_t count;
  feedscan_replay_stop stop;
} feedscan_replay_result;

/// Validates records by replay, from the first up to an unknown one, and writes their rows.
///
/// The records have passed input validation. 64 bytes after the last one, and two words after the
/// last one's in the bitmap of special bytes, may be read; their contents do not matter.
feedscan_replay_result feedscan_replay(
  feedscan_program *program, feedscan_text text, const feedscan_range *records, size_t count,
  feedscan_tape *tape, feedscan_kernel kernel);
