"""FeedCore: JSON dumps of any size as feeds in a memory-mapped store.

    import feedcore

    store = feedcore.open("feeds")
    store.ingest("universities.json", index=["country"])
    feed = store["universities"]
    feed["Middle East Technical University"]["country"]
    for record in feed.where("country = Brazil", "name ~ federal"):
        print(record["name"])
"""

from ._feed import Feed, Record, Records
from ._images import Image, Images
from ._ingest import Progress, Report
from ._library import version as library_version
from ._store import Store, open
from .errors import (
    BusyError, ClosedError, ConflictError, DamagedError, FeedCoreError, ForkedError, MisuseError,
    NotFoundError, PayloadError, ReadOnlyError, StorageError,
)

__version__ = library_version
__all__ = [
    "BusyError", "ClosedError", "ConflictError", "DamagedError", "Feed", "FeedCoreError",
    "ForkedError", "Image", "Images", "MisuseError", "NotFoundError", "PayloadError", "Progress",
    "ReadOnlyError", "Record", "Records", "Report", "StorageError", "Store", "open",
]
