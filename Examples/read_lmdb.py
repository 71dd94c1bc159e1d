"""Reads the newest snapshot in the data file of an LMDB environment. The layout is that of LMDB 0.9
on 64-bit little-endian machines. It takes no lock, so no process may write meanwhile."""

import struct

from read_block import Damaged, cut

BRANCH, LEAF, OWN_PAGES, NO_PAGE = 1, 2, 1, (1 << 64) - 1


def parts(form, data, at):
    return struct.unpack(form, cut(data, at, at + struct.calcsize(form)))


class Environment:
    """The data file of an LMDB environment and its named tables."""

    def __init__(self, directory):
        with open(directory + "/data.mdb", "rb") as file:
            self.data = file.read()
        self.page_size, = parts("<I", self.data, 40)
        metas = [cut(self.data, at, at + 152) for at in (0, self.page_size)]
        if any(parts("<I", meta, 16) != (0xBEEFC0DE,) for meta in metas):
            raise Damaged("not a data file of LMDB")
        newest = max(metas, key=lambda meta: parts("<Q", meta, 144))
        self.tables = dict(self.entries(*parts("<Q", newest, 128)))

    def table(self, name):
        """All keys and values, in the order of the keys."""
        return dict(self.entries(*parts("<Q", self.tables[name], 40)))

    def entries(self, number, depth=0):
        if number == NO_PAGE:
            return
        page = cut(self.data, number * self.page_size, (number + 1) * self.page_size)
        page_flags, lower = parts("<HH", page, 10)
        if page_flags not in (BRANCH, LEAF) or depth > 32:
            raise Damaged(f"page {number} is not one of a tree")
        for node in parts(f"<{lower // 2 - 8}H", page, 16):
            low, high, flags, key_size = parts("<HHHH", page, node)
            start, size = node + 8 + key_size, low | high << 16
            key = cut(page, node + 8, start)
            if page_flags == BRANCH:
                yield from self.entries(size | flags << 32, depth + 1)
            elif flags & OWN_PAGES:
                start = parts("<Q", page, start)[0] * self.page_size + 16
                yield key, cut(self.data, start, start + size)
            else:
                yield key, cut(page, start, start + size)
