import LMDB

/// The names, numbers and limits of the image store's format.
///
/// `images` maps the hash of a URL (XXH3-128, 16 bytes big-endian) to a row: all that is told of
/// the image, but for its bytes. `bodies` maps hash and chunk number (u32 big-endian) to these.
/// `ring` maps a sequence number to the hash that has it, in the order in which the evictor comes
/// by. `meta` holds the format, the totals, and what stands on each shelf: see `ImageShelf`.
enum ImageFormat {
  /// "FCIM", little-endian, and the version; version 1 had no shelves.
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

  /// A file with a byte for each slot of the keys' hash; see `ImageAccess`.
  static let accessMap = "access.map"
  static let accessSlots = 1 << 18

  private static let page = 4096
  private static let pageHeader = 16
  /// 256 KiB and what else fits into the pages that these and LMDB's header occupy, all but 260 KiB:
  /// images up to this are one value, larger ones several, of which all but the last fill their
  /// pages.
  static let chunkBytes = (256 << 10) + page - pageHeader

  /// What an image may have at most, unless options say otherwise, and what they can say: an
  /// image is written by one transaction.
  static let imageLimit = 16 << 20
  static let largestImageLimit = 24 << 20
  static let urlLimit = 64 << 10
  static let textLimit = 4 << 10

  /// What the store may occupy, unless options say otherwise, and the least they can say.
  static let byteCap = 1 << 30
  static let smallestByteCap = 1 << 20
  /// Pages by which the trees of rows may grow with one more image.
  private static let treeGrowth = 16 * page

  /// Pages by which a row that is written anew may grow: its texts have pages of their own.
  static let rowGrowth = treeGrowth + urlLimit + 4 * textLimit

  /// What a transaction removes and rewrites at most before it stops or adds an image: that image,
  /// and the one that is removed last, fit into the bounds of a write besides.
  static let editBytes = 8 << 20
  static let editOperations = 4_500

  /// Marked images that one insertion passes over. More of them in a row would make one insertion
  /// pay for a turn of the whole ring.
  static let secondChances = 1_024

  /// The most that an image of so many bytes adds to what the store occupies.
  static func footprint(_ byteCount: Int) -> Int {
    let chunks = byteCount / chunkBytes
    let rest = byteCount % chunkBytes
    let pages = chunks * (chunkBytes + pageHeader) + (rest + pageHeader + page - 1) / page * page
    return pages + treeGrowth
  }

  /// Whether an image fits under a cap, with the page of the meta table.
  static func fits(_ byteCount: Int, under byteCap: Int) -> Bool {
    footprint(byteCount) <= byteCap - page
  }

  static func chunkCount(_ byteCount: Int) -> Int {
    max(1, (byteCount + chunkBytes - 1) / chunkBytes)
  }
}
