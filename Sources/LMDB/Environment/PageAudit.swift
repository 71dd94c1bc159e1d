import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Walks every page of a snapshot by reading the file, and checks that each is counted exactly
/// once.
///
/// Nothing in the file is trusted. Pages are read, not mapped, and every number is checked before
/// use. A damaged file is therefore reported and cannot crash the process.
struct PageAudit {
  /// A limit on what a person reads.
  static let maximumFindings = 100

  private let reader: PageReader
  private let meta: PageReader.Meta
  /// One bit per page: whether it has been counted.
  private var seen: [UInt64]
  private(set) var findings: [String] = []
  private(set) var usedPages = 2

  init(_ reader: PageReader, _ meta: PageReader.Meta) {
    self.reader = reader
    self.meta = meta
    seen = [UInt64](repeating: 0, count: Int(clamping: (meta.lastPage + 1) / 64 + 1))
    seen[0] = 3
  }

  /// Verifies the two trees of the snapshot and all tables.
  mutating func run() {
    walk(meta.freeList, "the free list")
    walk(meta.main, "the table of tables")
    countFreePages()
    let missing = meta.lastPage + 1 - UInt64(seen.reduce(0) { $0 + $1.nonzeroBitCount })
    if missing > 0 { report("\(missing) pages belong to nothing and are not free") }
  }

  private mutating func report(_ text: String) {
    if findings.count < Self.maximumFindings { findings.append(text) }
  }

  private mutating func countFreePages() {
    guard let lists = reader.freeLists(meta) else {
      report("the free list cannot be read")
      return
    }
    for page in lists { take(page, "the free list") }
  }

  /// Counts a page; returns false if it was counted before or does not exist.
  @discardableResult
  private mutating func take(_ page: UInt64, _ owner: String) -> Bool {
    guard page <= meta.lastPage else {
      report("\(owner): page \(page) lies after the last one")
      return false
    }
    let (word, bit) = (Int(page / 64), UInt64(1) << (page % 64))
    guard seen[word] & bit == 0 else {
      report("\(owner): page \(page) is used twice")
      return false
    }
    seen[word] |= bit
    return true
  }

  // MARK: Trees

  /// The contents found in a tree.
  private struct Count: Equatable {
    var branchPages: UInt64 = 0
    var leafPages: UInt64 = 0
    var overflowPages: UInt64 = 0
    var entries: UInt64 = 0
  }

  private struct Walk {
    let name: String
    let integerKeys: Bool
    var count = Count()
    var lastKey: ArraySlice<UInt8>?
  }

  private mutating func walk(_ tree: PageReader.Tree, _ name: String) {
    var walk = Walk(name: name, integerKeys: tree.flags & PageReader.Tree.integerKey != 0)
    if let root = tree.root {
      visit(root, depth: tree.depth, &walk)
    }
    let recorded = Count(
      branchPages: tree.branchPages, leafPages: tree.leafPages,
      overflowPages: tree.overflowPages, entries: tree.entries)
    if walk.count != recorded {
      report("\(name): pages or entries are missing, or too many")
    }
  }

  private mutating func visit(_ number: UInt64, depth: Int, _ walk: inout Walk) {
    guard depth > 0, depth < 32 else {
      report("\(walk.name): the tree is not as deep as it says")
      return
    }
    guard take(number, walk.name) else { return }
    usedPages += 1
    guard let page = reader.treePage(number, meta) else {
      report("\(walk.name): page \(number) is damaged")
      return
    }
    if page.isBranch {
      walk.count.branchPages += 1
      if depth == 1 { report("\(walk.name): page \(number) should be a leaf") }
      for node in page.nodes { visit(node.child, depth: depth - 1, &walk) }
    } else {
      walk.count.leafPages += 1
      if depth != 1 { report("\(walk.name): page \(number) should not be a leaf") }
      for node in page.nodes { entry(node, number, &walk) }
    }
  }

  private mutating func entry(
    _ node: PageReader.Node, _ number: UInt64, _ walk: inout Walk
  ) {
    walk.count.entries += 1
    if let last = walk.lastKey, !isAscending(last, node.key, walk.integerKeys) {
      report("\(walk.name): the keys of page \(number) are not in order")
    }
    walk.lastKey = node.key
    switch node.value {
    case .inline:
      break
    case .overflow(let first, let pages):
      walk.count.overflowPages += pages
      guard first <= meta.lastPage, pages <= meta.lastPage + 1 - first else {
        report("\(walk.name): a value lies after the last page")
        return
      }
      guard reader.isOverflow(first, pages: pages, meta) else {
        report("\(walk.name): page \(first) is damaged")
        return
      }
      for page in first..<first + pages where take(page, walk.name) { usedPages += 1 }
    case .table(let tree):
      self.walk(tree, "the table \(String(decoding: node.key, as: UTF8.self))")
    }
  }

  private func isAscending(
    _ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>, _ areIntegers: Bool
  ) -> Bool {
    areIntegers
      ? left.reversed().lexicographicallyPrecedes(right.reversed())
      : left.lexicographicallyPrecedes(right)
  }
}

extension Environment {
  /// The result of a walk over every page of a snapshot.
  package struct PageReport: Hashable, Sendable {
    /// Pages in use, including the two meta pages.
    package var usedPages = 0
    /// One sentence per contradiction, at most a hundred; empty if the file is intact.
    package var findings: [String] = []
  }

  /// Verifies that every page of the file is free or used exactly once, and that keys are in order.
  ///
  /// Cost: reads all pages, but only the first page of a large value. The snapshot is held
  /// meanwhile.
  package func auditPages() throws(LMDBError) -> PageReport {
    for _ in 0..<100 {
      let report = try read { transaction throws(LMDBError) -> PageReport? in
        var descriptor: CInt = -1
        mdb_env_get_fd(mdb_txn_env(transaction.handle), &descriptor)
        let reader = PageReader(descriptor: descriptor)
        // The snapshot's pages do not change while it lives. Its meta page lasts for two commits.
        let snapshot = UInt64(mdb_txn_id(transaction.handle))
        guard let meta = reader.meta(ofCommit: snapshot) else { return nil }
        var audit = PageAudit(reader, meta)
        audit.run()
        return PageReport(usedPages: audit.usedPages, findings: audit.findings)
      }
      if let report { return report }
    }
    return PageReport(findings: ["no meta page is that of the last commit"])
  }
}
