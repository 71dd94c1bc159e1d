import Synchronization

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

/// The names of fields for C. They are never freed, so that C may keep them; each is stored once.
enum FieldNames {
  private static let texts = Mutex<[String: CText]>([:])

  static func text(_ name: String) -> CText {
    texts.withLock { texts in
      if let known = texts[name] { return known }
      let text = CText(name)
      texts[name] = text
      return text
    }
  }
}
