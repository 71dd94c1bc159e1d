/// A chunk of an input in its own memory, with space in front of it. The start of a record that
/// the previous segment has cut is copied there, so that the record is contiguous.
///
/// Safety: only `deinit` frees the memory. The thread that reads ahead owns a segment while it
/// fills it, and passes it on under its ring's lock. After that, only memory outside all shared
/// windows is written: a buffer appends after the shared bytes, and moves bytes only in a segment
/// without another reference. So several threads may read it at once. A lane loads whole words, up
/// to ``padding`` bytes after its window, where the buffer may be appending. The lane masks these
/// bytes out, or writes them where the next field or record overwrites them.
package final class InputSegment: @unchecked Sendable {
  static let pageSize = 4096
  /// Readable bytes after the capacity, without meaning: words are loaded whole.
  static let padding = 64

  /// A bit for each byte of the memory: set for quotes, backslashes and control characters in the
  /// part that has been searched. Freed with the segment.
  ///
  /// The bits of bytes that a lane may read are only rewritten with the same value.
  let specials: UnsafeMutablePointer<UInt64>
  /// The whole memory, including the space in front; freed with the segment.
  package let memory: UnsafeMutablePointer<UInt8>
  /// The offset of the input's bytes: the size of the space in front of them.
  package let slack: Int
  /// How many bytes of input it can hold.
  package let capacity: Int
  /// How many bytes of input it holds.
  package internal(set) var count = 0
  /// Bytes of the file consumed when it was filled: compressed bytes, if the file is compressed.
  package internal(set) var bytesTaken = 0

  init(slack: Int = 0, capacity: Int) {
    self.slack = slack
    self.capacity = capacity
    let size = slack + capacity + Self.padding
    let raw = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: Self.pageSize)
    (raw + slack + capacity).initializeMemory(as: UInt8.self, repeating: 0, count: Self.padding)
    memory = raw.bindMemory(to: UInt8.self, capacity: size)
    // One word more than the bytes need, and one that may be read after it.
    let words = size / 64 + 3
    specials = .allocate(capacity: words)
    specials.initialize(repeating: 0, count: words)
  }

  deinit {
    UnsafeMutableRawPointer(memory).deallocate()
    specials.deallocate()
  }

  /// The space in front and the capacity.
  var size: Int { slack + capacity }

  /// The input's bytes.
  package var bytes: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: memory + slack, count: count)
  }

  /// The memory for the input's bytes.
  var space: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: memory + slack, count: capacity)
  }
}
