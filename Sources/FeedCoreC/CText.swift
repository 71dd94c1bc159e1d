import FeedSchema

/// A zero-terminated text in memory that C may read.
///
/// `@unchecked Sendable`: the memory is written only in `init` and freed in `deinit`, so threads
/// only read it. Code that passes the pointer to C retains the object.
final class CText: @unchecked Sendable {
  let start: UnsafePointer<CChar>
  let count: Int

  convenience init(_ text: String) { self.init(Array(text.utf8)) }

  init(_ bytes: [UInt8]) {
    count = bytes.count
    let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    for (index, byte) in bytes.enumerated() {
      (memory + index).initialize(to: CChar(bitPattern: byte))
    }
    (memory + bytes.count).initialize(to: 0)
    start = UnsafePointer(memory)
  }

  deinit { start.deallocate() }
}

/// The names of fields for C: those of the known contracts. They are never freed.
enum FieldNames {
  private static let texts: [String: CText] = {
    let names = Set(PayloadCatalog.standard.schemas.flatMap { $0.fields.map(\.name) })
    return Dictionary(uniqueKeysWithValues: names.map { name in (name, CText(name)) })
  }()

  /// Nil for a name that no known contract has.
  static func text(_ name: String) -> CText? { texts[name] }
}
