"""Pictures for the tests, computed from numbers."""

import colorsys
import math
import struct
import zlib


def png(number, width=320, height=240):
    """A landscape whose colours depend on the number: sky, a sun and three hills."""
    hue = (number * 0.137) % 1
    colours = [tuple(int(255 * c) for c in colorsys.hls_to_rgb((hue + shift) % 1, light, 0.42))
               for shift, light in ((0, 0.82), (0.04, 0.62), (0.08, 0.46), (0.12, 0.32))]
    sun = tuple(int(255 * c) for c in colorsys.hls_to_rgb((hue + 0.5) % 1, 0.88, 0.6))
    centre = (width * (0.25 + 0.5 * ((number * 0.37) % 1)), height * 0.3)
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        for x in range(width):
            layer = 0
            for hill in (1, 2, 3):
                top = height * (0.4 + 0.15 * hill) + height * 0.06 * math.sin(
                    x / width * math.pi * (2 + hill) + number * hill)
                if y > top:
                    layer = hill
            is_sun = layer == 0 and (x - centre[0]) ** 2 + (y - centre[1]) ** 2 < 700
            rows += bytes(sun if is_sun else colours[layer])

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(
            ">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
            + chunk(b"IDAT", zlib.compress(bytes(rows), 6)) + chunk(b"IEND", b""))
