"""The errors of this package. Each message states what happened, where, and what to do."""

from __future__ import annotations

from typing import Any


class FeedCoreError(Exception):
    """A failure of the library.

    status: the status of feedcore.h, such as 6 for busy; 0 for a failure of this package
    """

    status: int = 0


class PayloadError(FeedCoreError, ValueError):
    """The input is not JSON, or violates its contract. Nothing was stored.

    Offsets count from 0; lines, columns (in bytes) and records from 1. Record 0 means no record.
    """

    file: str | None = None
    line: int = 0
    column: int = 0
    offset: int = 0
    record: int = 0
    #: JSON Pointer (RFC 6901) of the value.
    pointer: str = ""
    #: The cause without the position.
    reason: str = ""


class MisuseError(FeedCoreError, ValueError):
    """An argument is not valid, for example a condition that cannot be parsed."""


class ClosedError(FeedCoreError, ValueError):
    """The store was closed."""


class ForkedError(FeedCoreError):
    """The store was opened before a fork, and is used in the child."""


class NotFoundError(FeedCoreError, KeyError):
    """There is no such store, feed, record or image."""

    def __str__(self) -> str:
        # KeyError would show the message in quotes.
        return Exception.__str__(self)


class BusyError(FeedCoreError):
    """Another writer is changing the feed."""


class ConflictError(FeedCoreError):
    """The feed does not meet a condition."""


class ReadOnlyError(FeedCoreError):
    """The store was opened for reading."""


class StorageError(FeedCoreError, OSError):
    """The disk is full, access is refused, or the system reported another failure."""

    def __str__(self) -> str:
        return Exception.__str__(self)


class DamagedError(FeedCoreError):
    """The stored data is inconsistent, or a newer version wrote it."""


_CLASSES: dict[int, type[FeedCoreError]] = {
    2: MisuseError, 3: ClosedError, 4: ReadOnlyError, 5: NotFoundError, 6: BusyError,
    8: ConflictError, 9: PayloadError, 10: PayloadError, 11: PayloadError, 12: MisuseError,
    13: MisuseError, 15: StorageError, 16: StorageError, 17: StorageError, 18: DamagedError,
    19: DamagedError, 21: ForkedError,
}


def error_of(status: int, message: str, **details: Any) -> FeedCoreError:
    """The error for a status of the library."""
    error = _CLASSES.get(status, FeedCoreError)(message)
    error.status = status
    for name, value in details.items():
        setattr(error, name, value)
    return error
