"""The images of a store."""

from __future__ import annotations

import os
from collections.abc import Callable
from ctypes import byref, string_at
from typing import Any

from ._library import REFERENCE_EPOCH, TAKE, Handle, check, interruptible, lib, text_at
from .errors import ClosedError, NotFoundError


class Image(bytes):
    """The bytes of an image, with its content type."""

    content_type: str = ""


class Images:
    """Images by URL, up to a total number of bytes. The least used images are evicted."""

    def __init__(self, path: str, flags: int, byte_cap: int = 0) -> None:
        self._handle = Handle(lib.feedcore_images_close)
        encoded = os.fsencode(path)
        check(lib.feedcore_images_open, encoded, len(encoded), flags, byte_cap,
              byref(self._handle.word))

    def close(self) -> None:
        self._handle.close()

    @property
    def _word(self) -> Any:
        if not self._handle.word:
            raise ClosedError("the store was closed; open it again")
        return self._handle.word

    def __getitem__(self, url: str) -> Image:
        image = self.get(url)
        if image is None:
            raise NotFoundError(f"there is no image of {url}")
        return image

    def __contains__(self, url: object) -> bool:
        return isinstance(url, str) and self._lend(url, lambda *_: None)

    def get(self, url: str) -> Image | None:
        """The image of a URL; None if it does not exist or has expired."""
        chunks: list[bytes] = []
        kinds: list[str] = []

        # The mapped bytes are only valid during the call, so they are copied.
        def take(info: Any, address: int, length: int) -> None:
            if not chunks:
                kinds.append(text_at(info.content_type, info.content_type_length))
            chunks.append(string_at(address, length))

        if not self._lend(url, take):
            return None
        image = Image(b"".join(chunks))
        image.content_type = kinds[0] if kinds else ""
        return image

    def put(self, url: str, data: bytes, content_type: str = "",
            expires: float | None = None) -> None:
        """Stores an image, and replaces an existing image of the URL.

        content_type: by default it is detected for the usual formats
        expires: seconds since 1970; None for never
        """
        encoded, kind, data = url.encode(), content_type.encode(), bytes(data)
        seconds = float("inf") if expires is None else expires - REFERENCE_EPOCH
        check(lib.feedcore_image_insert, self._word, encoded, len(encoded), data, len(data),
              kind or None, len(kind), seconds)

    __setitem__ = put

    def __delitem__(self, url: str) -> None:
        encoded = url.encode()
        if not check(lib.feedcore_image_remove, self._word, encoded, len(encoded)):
            raise NotFoundError(f"there is no image of {url}")

    def _lend(self, url: str, take: Callable[[Any, int, int], None]) -> bool:
        raised: list[BaseException] = []
        interrupts: list[tuple[Any, ...]] = []

        def call(_: Any, info: Any, __: int, address: int, length: int) -> int:
            if interrupts:
                return 1
            try:
                take(info.contents, address, length)
                return 0
            except BaseException as error:  # noqa: BLE001, raised again below
                raised.append(error)
                return 1

        encoded = url.encode()
        try:
            with interruptible(interrupts):
                return check(lib.feedcore_image_lend, self._word, encoded, len(encoded),
                             TAKE(call), None)
        finally:
            if raised:
                raise raised[0]
