/// The used bytes of an LMDB data file and their purpose, found by a walk over its pages from the
/// newest meta page. The file must be intact.
struct PageMap {
  enum Kind: String, CaseIterable {
    case meta, branch, leaf
    /// Pages that hold one large value.
    case value
  }

  struct Region {
    let kind: Kind
    let table: String
    let bytes: Range<Int>

    var name: String { kind == .meta ? "meta" : "\(kind.rawValue) of \(table)" }
  }

  private(set) var regions: [Region] = []
  private let file: [UInt8]
  private let pageSize: Int

  private enum Layout {
    static let header = 16
    static let metaEnd = 152
    static let branch = 1
    static let ownPages = 1
    static let table = 2
    static let noPage = UInt64.max
  }

  init(_ file: [UInt8]) {
    self.file = file
    pageSize = Int(Self.number(file, 40, 4))
    for page in 0..<2 {
      let start = page * pageSize
      regions.append(
        Region(kind: .meta, table: "", bytes: start..<start + Layout.metaEnd))
    }
    let second = number(pageSize + 144, 8) > number(144, 8)
    let meta = second ? pageSize : 0
    walk(number(meta + 80, 8), "the free list")
    walk(number(meta + 128, 8), "tables")
  }

  /// The region that contains a byte; nil if the byte is not in use.
  func region(of offset: Int) -> Region? {
    regions.first { $0.bytes.contains(offset) }
  }

  private mutating func walk(_ page: UInt64, _ table: String) {
    guard page != Layout.noPage else { return }
    let start = Int(page) * pageSize
    let (lower, upper) = (Int(number(start + 12, 2)), Int(number(start + 14, 2)))
    let isBranch = Int(number(start + 10, 2)) & Layout.branch != 0
    let kind = isBranch ? Kind.branch : .leaf
    regions.append(Region(kind: kind, table: table, bytes: start..<start + lower))
    regions.append(Region(kind: kind, table: table, bytes: start + upper..<start + pageSize))
    for slot in stride(from: start + Layout.header, to: start + lower, by: 2) {
      let node = start + Int(number(slot, 2))
      let flags = Int(number(node + 4, 2))
      let value = node + 8 + Int(number(node + 6, 2))
      if isBranch {
        walk(number(node, 4) | UInt64(flags) << 32, table)
      } else if flags & Layout.ownPages != 0 {
        let first = Int(number(value, 8)) * pageSize
        let end = first + Layout.header + Int(number(node, 4))
        regions.append(Region(kind: .value, table: table, bytes: first..<end))
      } else if flags & Layout.table != 0 {
        walk(number(value + 40, 8), String(decoding: file[node + 8..<value], as: UTF8.self))
      }
    }
  }

  private func number(_ offset: Int, _ width: Int) -> UInt64 { Self.number(file, offset, width) }

  private static func number(_ file: [UInt8], _ offset: Int, _ width: Int) -> UInt64 {
    file[offset..<offset + width].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
