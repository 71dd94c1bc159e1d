/// A piece of an input in memory of its own, with room in front of it: there the beginning of a
/// record that the piece before has cut can be put, so that the record lies in one stretch.
///
/// Safety: the memory is freed by `deinit` alone. The thread that reads ahead owns a segment while
/// it fills it, and hands it over under its ring's lock. Then it is written only where no window
/// that is shared reaches: a buffer appends behind all that it has shown, and moves bytes only in
/// a segment that nobody else refers to. So several threads may read it at once. A lane loads
/// whole words, up to ``padding`` bytes behind its window, where the buffer may be appending: what
/// it gets of those it masks out or writes where the next field or record is written over it.
package final class InputSegment: @unchecked Sendable {
  static let pageSize = 4096
  /// Bytes behind the capacity that are there and mean nothing: words are loaded whole.
  static let padding = 64

  /// A bit for each byte of the memory: set for quotes, backslashes and control characters, where
  /// they have been looked for. Freed with the segment.
  ///
  /// The bits of bytes that a lane may read are written again only with the value that they have.
  let specials: UnsafeMutablePointer<UInt64>
  /// The whole memory, the room in front included; freed with the segment.
  package let memory: UnsafeMutablePointer<UInt8>
  /// Where the input's bytes begin: the room in front of them.
  package let slack: Int
  /// How many bytes of input it can hold.
  package let capacity: Int
  /// How many it was filled with.
  package internal(set) var count = 0
  /// Bytes of the file that had been taken when it was full: compressed ones, if it is compressed.
  package internal(set) var bytesTaken = 0

  init(slack: Int = 0, capacity: Int) {
    self.slack = slack
    self.capacity = capacity
    let size = slack + capacity + Self.padding
    let raw = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: Self.pageSize)
    (raw + slack + capacity).initializeMemory(as: UInt8.self, repeating: 0, count: Self.padding)
    memory = raw.bindMemory(to: UInt8.self, capacity: size)
    // A word more than there are bytes, and one to be read after it.
    let words = size / 64 + 3
    specials = .allocate(capacity: words)
    specials.initialize(repeating: 0, count: words)
  }

  deinit {
    UnsafeMutableRawPointer(memory).deallocate()
    specials.deallocate()
  }

  /// All of it, the room in front included.
  var size: Int { slack + capacity }

  /// The input's bytes.
  package var bytes: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: memory + slack, count: count)
  }

  /// Where the input's bytes are to be put.
  var space: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: memory + slack, count: capacity)
  }
}
