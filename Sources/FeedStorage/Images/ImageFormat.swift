import LMDB

/// The names, numbers and limits of the image store's format.
///
/// `images` maps the hash of a URL (XXH3-128, 16 bytes big-endian) to a row with the image's
/// metadata. `bodies` maps hash and chunk number (u32 big-endian) to the bytes. `ring` maps a
/// sequence number to the hash of its image, in eviction order. `meta` holds the format, the totals
/// and the digest of each bucket: see `ImageBucket`.
enum ImageFormat {
  /// "FCIM", little-endian, and the version; version 1 had no buckets.
  static let format = EnvironmentFormat(magic: 0x4D49_4346, version: 2)
  static let environmentDirectory = "images"

  enum TableName {
    static let meta = EnvironmentFormat.table
    static let images = "images"
    static let bodies = "bodies"
    static let ring = "ring"
    static let all = [meta, images, bodies, ring]
  }

  /// The key of `ImageTotals` in the meta table.
  static let totals = Array("images".utf8)

  /// A file with a byte for each slot of the keys' hashes; see `ImageAccess`.
  static let accessMap = "access.map"
  static let accessSlots = 1 << 18

  private static let page = 4096
  private static let pageHeader = 16
  /// 256 KiB and the rest of the pages that these and LMDB's header occupy, almost 260 KiB. Images
  /// up to this size are one value. Larger ones are several values, of which all but the last fill
  /// their pages.
  static let chunkBytes = (256 << 10) + page - pageHeader

  /// The default limit of an image's size, and the highest limit that options may set: one
  /// transaction writes an image.
  static let imageLimit = 16 << 20
  static let maximumImageLimit = 24 << 20
  static let urlLimit = 64 << 10
  static let textLimit = 4 << 10

  /// The default limit of the store's size, and the lowest limit that options may set.
  static let byteCap = 1 << 30
  static let minimumByteCap = 1 << 20
  /// The pages by which the trees of rows may grow with one more image.
  private static let treeGrowth = 16 * page

  /// The pages by which a rewritten row may grow: its texts have pages of their own.
  static let rowGrowth = treeGrowth + urlLimit + 4 * textLimit

  /// The maximum that a transaction removes and rewrites before it stops or adds an image. That
  /// image and the one removed last also fit into the limits of a write.
  static let editBytes = 8 << 20
  static let editOperations = 4_500

  /// The number of marked images that one insertion skips. Without the limit one insertion could
  /// have to traverse the whole ring.
  static let secondChances = 1_024

  /// The most space that an image of this size adds to the store.
  static func footprint(_ byteCount: Int) -> Int {
    let chunks = byteCount / chunkBytes
    let rest = byteCount % chunkBytes
    let pages = chunks * (chunkBytes + pageHeader) + (rest + pageHeader + page - 1) / page * page
    return pages + treeGrowth
  }

  /// Whether an image fits under a cap, including the page of the meta table.
  static func fits(_ byteCount: Int, under byteCap: Int) -> Bool {
    footprint(byteCount) <= byteCap - page
  }

  static func chunkCount(_ byteCount: Int) -> Int {
    max(1, (byteCount + chunkBytes - 1) / chunkBytes)
  }
}
