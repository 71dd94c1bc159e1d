#include "replay.h"

#include <stdlib.h>
#include <string.h>

static void *allocate(size_t count, size_t size) {
  // Aligned to a cache line: the head of a step is compared as a whole.
  void *memory = NULL;
  return posix_memalign(&memory, 64, count * size) == 0 ? memory : NULL;
}

feedscan_program *feedscan_program_make(feedscan_program_options options) {
  if (options.steps > FEEDSCAN_MAXIMUM_STEPS) options.steps = FEEDSCAN_MAXIMUM_STEPS;
  feedscan_program *program = allocate(1, sizeof *program);
  if (program == NULL) return NULL;
  memset(program, 0, sizeof *program);
  program->options = options;
  program->glue_capacity = (size_t)options.steps * 128 + FEEDSCAN_GLUE_BYTES;
  program->operation_capacity = (size_t)options.steps * 8;
  program->steps = allocate(options.steps, sizeof *program->steps);
  program->states = allocate(FEEDSCAN_MOST_STATES, sizeof *program->states);
  program->glue = allocate(program->glue_capacity, 1);
  program->operations = allocate(program->operation_capacity, sizeof *program->operations);
  program->trace = allocate(MAXIMUM_RECORD_STEPS, sizeof *program->trace);
  if (!program->steps || !program->states || !program->glue || !program->operations
      || !program->trace) {
    feedscan_program_free(program);
    return NULL;
  }
  feedscan_program_clear(program);
  return program;
}

void feedscan_program_free(feedscan_program *program) {
  for (size_t i = 0; i < program->key_count; i++) free((void *)program->keys[i].bytes);
  free(program->keys);
  free(program->trace);
  free(program->operations);
  free(program->glue);
  free(program->states);
  free(program->steps);
  free(program);
}

bool feedscan_program_select(
  feedscan_program *program, int16_t node, const uint8_t *key, size_t length) {
  replay_key *keys = realloc(program->keys, (program->key_count + 1) * sizeof *keys);
  if (keys == NULL) return false;
  program->keys = keys;
  uint8_t *bytes = malloc(length + 1);
  if (bytes == NULL) return false;
  memcpy(bytes, key, length);
  keys[program->key_count++] = (replay_key){bytes, length, node};
  return true;
}

bool replay_selects(
  const feedscan_program *program, int16_t node, const uint8_t *key, size_t length) {
  for (size_t i = 0; i < program->key_count; i++) {
    const replay_key *known = &program->keys[i];
    if (known->length == length && known->node == node && memcmp(known->bytes, key, length) == 0) {
      return true;
    }
  }
  return false;
}

void feedscan_program_clear(feedscan_program *program) {
  program->step_count = program->state_count = 0;
  program->glue_count = program->operation_count = 0;
  memset(&program->never, 0, sizeof program->never);
  // A byte that never occurs in UTF-8; and longer than a record, so that nothing matches even if
  // input validation failed.
  memset(program->never.head, 0xFF, GLUE_HEAD);
  program->never.mask = 1;
  program->never.length = UINT32_MAX;
  program->never.token = FEEDSCAN_TOKEN_NONE;
  memset(&program->start, 0, sizeof program->start);
  program->start.likely = program->start.earlier = &program->never;
  feedscan_program_add_state(program);
  program->start.next_state = program->states;
}

int32_t feedscan_program_add_state(feedscan_program *program) {
  if (program->state_count == FEEDSCAN_MOST_STATES) return -1;
  program->states[program->state_count] = (replay_state){NULL, 0};
  return (int32_t)program->state_count++;
}

uint32_t feedscan_program_steps_from(const feedscan_program *program, uint16_t state) {
  return program->states[state].count;
}

static bool has_glue(const replay_step *step, const uint8_t *glue, size_t length) {
  if (step->length != length) return false;
  size_t head = length < GLUE_HEAD ? length : GLUE_HEAD;
  return memcmp(step->head, glue, head) == 0
      && (head == length || memcmp(step->rest, glue + head, length - head) == 0);
}

int32_t feedscan_program_find(
  const feedscan_program *program, uint16_t state, const uint8_t *glue, size_t length,
  feedscan_token token) {
  const replay_step *step = program->states[state].first;
  while (step != NULL && !(step->token == token && has_glue(step, glue, length))) {
    step = step->sibling;
  }
  return step == NULL ? -1 : (int32_t)(step - program->steps);
}

/// Stores the glue without white space outside strings, and the positions of its values in it.
static void add_compact_glue(
  feedscan_program *program, replay_step *step, const feedscan_step *added,
  feedscan_operation *operations) {
  uint8_t *rest = program->glue + program->glue_count;
  bool is_in_string = added->begins_in_string, is_escaped = false;
  size_t count = 0, operation = 0;
  for (size_t i = 0; i <= added->length; i++) {
    // Values are in the order of their positions.
    while (operation < added->operation_count && operations[operation].position <= i) {
      operations[operation++].compact_position = (uint32_t)count;
    }
    if (i == added->length) break;
    uint8_t byte = added->glue[i];
    if (!is_in_string && (byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t')) continue;
    if (byte == '"' && !is_escaped) is_in_string = !is_in_string;
    is_escaped = is_in_string && byte == '\\' && !is_escaped;
    if (count < GLUE_HEAD) {
      step->compact_head[count] = byte;
    } else {
      rest[count - GLUE_HEAD] = byte;
    }
    count++;
  }
  step->is_compact = count == added->length;
  step->compact_length = (uint32_t)count;
  step->compact_rest = step->is_compact ? step->rest : rest;
  if (!step->is_compact && count > GLUE_HEAD) program->glue_count += count - GLUE_HEAD;
}

int32_t feedscan_program_add(
  feedscan_program *program, uint16_t state, const feedscan_step *added) {
  replay_state *from = &program->states[state];
  size_t head = added->length < GLUE_HEAD ? added->length : GLUE_HEAD;
  size_t rest = added->length - head;
  if (program->step_count == program->options.steps || from->count == FEEDSCAN_STEPS_OF_STATE
      || added->length == 0 || added->length > FEEDSCAN_GLUE_BYTES
      || added->operation_count > UINT16_MAX
      || (program->options.is_document ? 2 * rest : rest)
           > program->glue_capacity - program->glue_count
      || added->operation_count > program->operation_capacity - program->operation_count) {
    return -1;
  }
  replay_step *step = &program->steps[program->step_count];
  memset(step, 0, sizeof *step);
  memcpy(step->head, added->glue, head);
  step->mask = head == GLUE_HEAD ? ~(uint64_t)0 : ((uint64_t)1 << head) - 1;
  step->length = added->length;
  step->token = (uint8_t)added->token;
  step->target = (uint8_t)added->target;
  step->slot = added->slot;
  step->path = added->path;
  step->node = added->node;
  step->is_counted = added->is_counted;
  step->likely = step->earlier = &program->never;
  step->next_state = &program->states[added->next_state];
  if (rest > 0) {
    step->rest = memcpy(program->glue + program->glue_count, added->glue + head, rest);
    program->glue_count += rest;
  }
  feedscan_operation *operations = program->operations + program->operation_count;
  if (added->operation_count > 0) {
    memcpy(operations, added->operations, added->operation_count * sizeof *operations);
  }
  if (program->options.is_document) add_compact_glue(program, step, added, operations);
  step->operations = operations;
  step->operation_count = (uint16_t)added->operation_count;
  program->operation_count += added->operation_count;
  step->sibling = from->first;
  from->first = step;
  from->count++;
  return (int32_t)program->step_count++;
}

uint16_t feedscan_program_state_after(const feedscan_program *program, int32_t step) {
  return (uint16_t)(program->steps[step].next_state - program->states);
}

void feedscan_program_guess(feedscan_program *program, int32_t before, int32_t step) {
  replay_step *from = before < 0 ? &program->start : &program->steps[before];
  replay_step *next = &program->steps[step];
  if (from->likely == next) return;
  from->earlier = from->likely;
  from->likely = next;
}

uint32_t feedscan_program_step_count(const feedscan_program *program) {
  return program->step_count;
}

uint64_t feedscan_program_taken(
  const feedscan_program *program, int32_t step, feedscan_step *values) {
  const replay_step *taken = &program->steps[step];
  *values = (feedscan_step){
    .token = (feedscan_token)taken->token,
    .target = (feedscan_target)taken->target,
    .slot = taken->slot,
    .path = taken->path,
    .operations = taken->operations,
    .operation_count = taken->operation_count,
  };
  return taken->taken;
}

feedscan_replay_result feedscan_replay(
  feedscan_program *program, feedscan_text text, const feedscan_range *records, size_t count,
  feedscan_tape *tape, feedscan_kernel kernel) {
  switch (kernel) {
#if FEEDSCAN_HAS_X86
  case FEEDSCAN_AVX2: return feedscan_replay_avx2(program, text, records, count, tape);
  case FEEDSCAN_AVX512: return feedscan_replay_avx512(program, text, records, count, tape);
#endif
#if FEEDSCAN_HAS_NEON
  case FEEDSCAN_NEON: return feedscan_replay_neon(program, text, records, count, tape);
#endif
  default: return feedscan_replay_scalar(program, text, records, count, tape);
  }
}
