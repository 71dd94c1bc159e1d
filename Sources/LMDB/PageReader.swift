#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads LMDB's meta pages and free list from the file, without a map and without trusting them.
///
/// The format is that of lmdb 0.9 (`mdb.c`, `MDB_page` and `MDB_meta`) on
/// little-endian 64-bit machines.
struct PageReader {
  let descriptor: CInt

  struct Meta {
    let pageSize: Int
    let lastPage: UInt64
    let transaction: UInt64
    let freeListRoot: UInt64
    let freeListDepth: Int
  }

  private enum Layout {
    static let header = 16
    static let magic: UInt32 = 0xBEEF_C0DE
    static let metaLength = 136
    static let noPage = UInt64.max
    static let branch: UInt16 = 0x01
    static let leaf: UInt16 = 0x02
    static let meta: UInt16 = 0x08
    static let bigData: UInt16 = 0x01
  }

  /// The meta page at an offset; nil where there is none.
  func meta(at offset: UInt64) -> Meta? {
    guard let page = bytes(at: offset, count: Layout.header + Layout.metaLength),
      load(UInt16.self, page, 10) & Layout.meta != 0,
      load(UInt32.self, page, 16) == Layout.magic
    else { return nil }
    let pageSize = load(UInt32.self, page, 40)
    guard pageSize >= 512, pageSize <= 65_536, pageSize & (pageSize - 1) == 0 else { return nil }
    return Meta(
      pageSize: Int(pageSize), lastPage: load(UInt64.self, page, 136),
      transaction: load(UInt64.self, page, 144), freeListRoot: load(UInt64.self, page, 80),
      freeListDepth: Int(load(UInt16.self, page, 46)))
  }

  /// The free pages from a page number on; nil where the free list cannot be read.
  func freePages(_ meta: Meta, from lowest: UInt64) -> Set<UInt64>? {
    guard meta.freeListRoot != Layout.noPage else { return [] }
    var free: Set<UInt64> = []
    guard
      collect(meta, page: meta.freeListRoot, depth: meta.freeListDepth, from: lowest, into: &free)
    else { return nil }
    return free
  }

  private func collect(
    _ meta: Meta, page number: UInt64, depth: Int, from lowest: UInt64,
    into free: inout Set<UInt64>
  ) -> Bool {
    guard depth > 0, depth < 32, let page = page(number, meta) else { return false }
    let flags = load(UInt16.self, page, 10)
    let nodes = (Int(load(UInt16.self, page, 12)) - Layout.header) / 2
    guard nodes >= 0, Layout.header + nodes * 2 <= page.count else { return false }
    for index in 0..<nodes {
      let node = Int(load(UInt16.self, page, Layout.header + index * 2))
      guard node + 8 <= page.count else { return false }
      if flags & Layout.branch != 0 {
        let child =
          UInt64(load(UInt32.self, page, node)) | UInt64(load(UInt16.self, page, node + 4)) << 32
        guard collect(meta, page: child, depth: depth - 1, from: lowest, into: &free) else {
          return false
        }
      } else if flags & Layout.leaf != 0 {
        guard let list = value(page, node, meta) else { return false }
        add(list, from: lowest, upTo: meta.lastPage, into: &free)
      } else {
        return false
      }
    }
    return true
  }

  /// The value of a leaf's node, which may lie in pages of its own.
  private func value(_ page: [UInt8], _ node: Int, _ meta: Meta) -> ArraySlice<UInt8>? {
    let size = Int(load(UInt32.self, page, node))
    let start = node + 8 + Int(load(UInt16.self, page, node + 6))
    if load(UInt16.self, page, node + 4) & Layout.bigData == 0 {
      return start + size <= page.count ? page[start..<start + size] : nil
    }
    guard start + 8 <= page.count else { return nil }
    let offset = load(UInt64.self, page, start).multipliedReportingOverflow(
      by: UInt64(meta.pageSize))
    guard !offset.overflow, size < 1 << 30 else { return nil }
    return bytes(at: offset.partialValue &+ UInt64(Layout.header), count: size)?[...]
  }

  /// A list is its length, then that many page numbers.
  private func add(
    _ list: ArraySlice<UInt8>, from lowest: UInt64, upTo highest: UInt64,
    into free: inout Set<UInt64>
  ) {
    let list = [UInt8](list)
    guard list.count >= 8 else { return }
    let count = min(Int(clamping: load(UInt64.self, list, 0)), list.count / 8 - 1)
    for index in 0..<count {
      let page = load(UInt64.self, list, 8 + index * 8)
      if page >= lowest, page <= highest { free.insert(page) }
    }
  }

  private func page(_ number: UInt64, _ meta: Meta) -> [UInt8]? {
    let offset = number.multipliedReportingOverflow(by: UInt64(meta.pageSize))
    return offset.overflow ? nil : bytes(at: offset.partialValue, count: meta.pageSize)
  }

  private func bytes(at offset: UInt64, count: Int) -> [UInt8]? {
    guard let position = off_t(exactly: offset) else { return nil }
    var isWhole = false
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      var read = 0
      while read < count, let base = buffer.baseAddress {
        // Stays within the buffer: at most what is missing is asked for.
        let result = pread(descriptor, base + read, count - read, position + off_t(read))
        if result < 0, errno == EINTR { continue }
        if result <= 0 { break }
        read += result
      }
      initialized = read
      isWhole = read == count
    }
    return isWhole ? bytes : nil
  }

  /// Callers have checked that the value lies within the bytes.
  private func load<Value: FixedWidthInteger>(
    _ type: Value.Type, _ bytes: [UInt8], _ offset: Int
  ) -> Value {
    guard offset >= 0, offset + MemoryLayout<Value>.size <= bytes.count else { return 0 }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
  }
}
