#pragma once

/// Has the process end with one line and a status where what it reads from a memory map is damaged.
///
/// LMDB trusts its file: a page number that leads nowhere, or a file that was cut off, raises
/// SIGSEGV or SIGBUS, and some contradictions abort. For programs only, since signals belong to
/// the program.
///
/// - line: what is written to standard error; copied, and cut off after a kilobyte
/// - status: the exit status
/// Returns 0 or the error number.
int feedtools_end_on_damage(const char *line, int status);
