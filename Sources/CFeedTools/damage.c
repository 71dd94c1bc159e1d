#include "feeddamage.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Set before the handler is installed, and not changed afterwards.
static char message[1024];
static size_t message_length;
static int exit_status;

// Uses only what POSIX allows in a handler: write and _exit.
static void end(int signal) {
  (void)signal;
  ssize_t ignored = write(STDERR_FILENO, message, message_length);
  (void)ignored;
  _exit(exit_status);
}

int feedtools_end_on_damage(const char *line, int status) {
  size_t length = strlen(line);
  message_length = length < sizeof message - 1 ? length : sizeof message - 1;
  memcpy(message, line, message_length);
  message[message_length++] = '\n';
  exit_status = status;

  // The thread's own stack may be the memory that cannot be written.
  static char stack[64 << 10];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack, .ss_flags = 0};
  if (sigaltstack(&alternate, NULL) != 0) {
    return errno;
  }
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = end;
  action.sa_flags = SA_ONSTACK | (int)SA_RESETHAND;
  sigfillset(&action.sa_mask);
  const int signals[] = {SIGSEGV, SIGBUS, SIGABRT};
  for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) {
    if (sigaction(signals[index], &action, NULL) != 0) {
      return errno;
    }
  }
  return 0;
}
