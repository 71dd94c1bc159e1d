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

  /// A page of a tree; nil if it is none or is inconsistent.
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
