#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads LMDB's meta pages and free list from the file, without a map and without trusting them.
///
/// The format is that of lmdb 0.9 (`mdb.c`, `MDB_page` and `MDB_meta`) on little-endian 64-bit
/// machines.
struct PageReader {
  let descriptor: CInt

  struct Meta {
    let pageSize: Int
    let lastPage: UInt64
    let transaction: UInt64
    let freeList: Tree
    let main: Tree
  }

  /// The description of a tree (`MDB_db`).
  struct Tree {
    static let integerKey: UInt16 = 0x08
    static let byteCount = 48

    let flags: UInt16
    let depth: Int
    let branchPages: UInt64
    let leafPages: UInt64
    let overflowPages: UInt64
    let entries: UInt64
    /// Nil if the tree is empty.
    let root: UInt64?
  }

  enum Layout {
    static let header = 16
    static let magic: UInt32 = 0xBEEF_C0DE
    static let metaLength = 136
    static let noPage = UInt64.max
    static let branch: UInt16 = 0x01
    static let leaf: UInt16 = 0x02
    static let overflow: UInt16 = 0x04
    static let meta: UInt16 = 0x08
    static let bigData: UInt16 = 0x01
    static let subTree: UInt16 = 0x02
    static let nodeHeader = 8
  }

  /// The meta page at an offset; nil if there is none.
  func meta(at offset: UInt64) -> Meta? {
    guard let page = bytes(at: offset, count: Layout.header + Layout.metaLength),
      load(UInt16.self, page, 10) & Layout.meta != 0,
      load(UInt32.self, page, 16) == Layout.magic
    else { return nil }
    let pageSize = load(UInt32.self, page, 40)
    guard pageSize >= 512, pageSize <= 65_536, pageSize & (pageSize - 1) == 0 else { return nil }
    return Meta(
      pageSize: Int(pageSize), lastPage: load(UInt64.self, page, 136),
      transaction: load(UInt64.self, page, 144), freeList: tree(page, 40), main: tree(page, 88))
  }

  /// The description of a tree at an offset.
  func tree(_ bytes: [UInt8], _ offset: Int) -> Tree {
    let root = load(UInt64.self, bytes, offset + 40)
    return Tree(
      flags: load(UInt16.self, bytes, offset + 4), depth: Int(load(UInt16.self, bytes, offset + 6)),
      branchPages: load(UInt64.self, bytes, offset + 8),
      leafPages: load(UInt64.self, bytes, offset + 16),
      overflowPages: load(UInt64.self, bytes, offset + 24),
      entries: load(UInt64.self, bytes, offset + 32), root: root == Layout.noPage ? nil : root)
  }

  /// The pages on the free list, with repetitions; nil if the list is unreadable.
  func freeLists(_ meta: Meta) -> [UInt64]? {
    var free: [UInt64] = []
    if let root = meta.freeList.root {
      guard collect(meta, page: root, depth: meta.freeList.depth, into: &free) else { return nil }
    }
    return free
  }

  /// The number of the last commit whose freed pages are listed; 0 if there are none. Nil if the
  /// free list is unreadable.
  func lastFreeing(_ meta: Meta) -> UInt64? {
    guard var number = meta.freeList.root else { return 0 }
    for _ in 0..<32 {
      guard let page = treePage(number, meta), let node = page.nodes.last else { return nil }
      if !page.isBranch { return load(UInt64.self, Array(node.key), 0) }
      number = node.child
    }
    return nil
  }

  /// The number that a commit stored in LMDB's table of tables; nil if there is none.
  func commit(_ meta: Meta) -> UInt64? {
    guard let root = meta.main.root, let page = treePage(root, meta), !page.isBranch else {
      return nil
    }
    for node in page.nodes where node.key.elementsEqual(ReplacementRecord.commit) {
      guard case .inline(let bytes) = node.value, bytes.count == 8 else { return nil }
      return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
    return nil
  }

  private func collect(
    _ meta: Meta, page number: UInt64, depth: Int, into free: inout [UInt64]
  ) -> Bool {
    guard depth > 0, depth < 32, let page = treePage(number, meta) else { return false }
    for node in page.nodes {
      if page.isBranch {
        guard collect(meta, page: node.child, depth: depth - 1, into: &free) else { return false }
      } else {
        guard let list = value(node.value, meta), add(list, upTo: meta.lastPage, into: &free)
        else { return false }
      }
    }
    return true
  }

  /// The bytes of a leaf's value, which may lie on pages of its own.
  private func value(_ value: Node.Value, _ meta: Meta) -> [UInt8]? {
    switch value {
    case .inline(let bytes):
      return Array(bytes)
    case .table:
      return nil
    case .overflow(let first, let pages):
      let offset = first.multipliedReportingOverflow(by: UInt64(meta.pageSize))
      let count = pages.multipliedReportingOverflow(by: UInt64(meta.pageSize))
      guard !offset.overflow, !count.overflow, count.partialValue < 1 << 30 else { return nil }
      return bytes(
        at: offset.partialValue &+ UInt64(Layout.header),
        count: Int(count.partialValue) - Layout.header)
    }
  }

  /// A list is a count followed by that many page numbers.
  private func add(_ list: [UInt8], upTo highest: UInt64, into free: inout [UInt64]) -> Bool {
    let count = load(UInt64.self, list, 0)
    guard list.count >= 8, count <= UInt64(list.count / 8 - 1), free.count <= highest else {
      return false
    }
    for index in 0..<Int(count) { free.append(load(UInt64.self, list, 8 + index * 8)) }
    return true
  }

  func page(_ number: UInt64, _ meta: Meta) -> [UInt8]? {
    let offset = number.multipliedReportingOverflow(by: UInt64(meta.pageSize))
    return offset.overflow ? nil : bytes(at: offset.partialValue, count: meta.pageSize)
  }

  func bytes(at offset: UInt64, count: Int) -> [UInt8]? {
    guard let position = off_t(exactly: offset) else { return nil }
    var isWhole = false
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      var read = 0
      while read < count, let base = buffer.baseAddress {
        // Stays within the buffer: requests at most the missing bytes.
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

  /// Returns 0 if the value does not lie within the bytes; callers check this before.
  func load<Value: FixedWidthInteger>(
    _ type: Value.Type, _ bytes: [UInt8], _ offset: Int
  ) -> Value {
    guard offset >= 0, offset + MemoryLayout<Value>.size <= bytes.count else { return 0 }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
  }
}

extension PageReader {
  /// A branch or leaf page whose nodes all lie inside it.
  struct TreePage {
    let isBranch: Bool
    let nodes: [Node]
  }

  /// One entry of a page.
  struct Node {
    enum Value {
      case inline(ArraySlice<UInt8>)
      /// The first page of the value, and the number of its pages.
      case overflow(UInt64, UInt64)
      case table(Tree)
    }

    let key: ArraySlice<UInt8>
    /// The child page; meaningless in a leaf.
    let child: UInt64
    /// Meaningless in a branch.
    let value: Value
  }

  /// The meta page that a commit wrote, if it is one of the last two.
  func meta(ofCommit transaction: UInt64) -> Meta? {
    guard let first = meta(at: 0), let second = meta(at: UInt64(first.pageSize)) else { return nil }
    return [first, second].first { $0.transaction == transaction }
  }

  /// A branch or leaf page; nil if the page is neither or is inconsistent.
  func treePage(_ number: UInt64, _ meta: Meta) -> TreePage? {
    guard let page = page(number, meta), load(UInt64.self, page, 0) == number else { return nil }
    let flags = load(UInt16.self, page, 10)
    let isBranch = flags & Layout.branch != 0
    let lower = Int(load(UInt16.self, page, 12))
    let upper = Int(load(UInt16.self, page, 14))
    guard isBranch != (flags & Layout.leaf != 0), lower >= Layout.header, lower.isMultiple(of: 2),
      lower <= upper, upper <= page.count
    else { return nil }
    var nodes: [Node] = []
    for position in stride(from: Layout.header, to: lower, by: 2) {
      let offset = Int(load(UInt16.self, page, position))
      guard offset >= upper, let node = node(page, offset, isBranch: isBranch, meta) else {
        return nil
      }
      nodes.append(node)
    }
    return TreePage(isBranch: isBranch, nodes: nodes)
  }

  /// Whether a value with this number of pages begins at a page.
  func isOverflow(_ number: UInt64, pages: UInt64, _ meta: Meta) -> Bool {
    let offset = number.multipliedReportingOverflow(by: UInt64(meta.pageSize))
    guard !offset.overflow, let header = bytes(at: offset.partialValue, count: Layout.header) else {
      return false
    }
    return load(UInt64.self, header, 0) == number
      && load(UInt16.self, header, 10) & Layout.overflow != 0
      && UInt64(load(UInt32.self, header, 12)) == pages
  }

  private func node(_ page: [UInt8], _ offset: Int, isBranch: Bool, _ meta: Meta) -> Node? {
    let keyStart = offset + Layout.nodeHeader
    guard keyStart <= page.count else { return nil }
    let low = UInt64(load(UInt32.self, page, offset))
    let flags = load(UInt16.self, page, offset + 4)
    let valueStart = keyStart + Int(load(UInt16.self, page, offset + 6))
    guard valueStart <= page.count else { return nil }
    let key = page[keyStart..<valueStart]
    if isBranch { return Node(key: key, child: low | UInt64(flags) << 32, value: .inline([])) }
    let size = Int(low)
    guard flags & Layout.bigData == 0 else {
      guard valueStart + 8 <= page.count else { return nil }
      let pages = (Layout.header + size - 1) / meta.pageSize + 1
      return Node(
        key: key, child: 0, value: .overflow(load(UInt64.self, page, valueStart), UInt64(pages)))
    }
    guard valueStart + size <= page.count else { return nil }
    guard flags & Layout.subTree == 0 else {
      guard size == Tree.byteCount else { return nil }
      return Node(key: key, child: 0, value: .table(tree(page, valueStart)))
    }
    return Node(key: key, child: 0, value: .inline(page[valueStart..<valueStart + size]))
  }
}
