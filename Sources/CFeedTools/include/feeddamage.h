#pragma once

/// Ends the process with one line and a status if it reads damaged data from a memory map.
///
/// LMDB trusts its file. An invalid page number or a truncated file raises SIGSEGV or SIGBUS, and
/// some inconsistencies abort. Only for programs, because signal handlers belong to the program.
///
/// - line: the line for standard error; copied, and truncated after a kilobyte
/// - status: the exit status
///
/// Returns 0 or the error number.
int feedtools_end_on_damage(const char *line, int status);
