/// A piece of an input in memory of its own, with room in front of it: there the beginning of a
/// record that the piece before has cut can be put, so that the record lies in one stretch.
///
/// `@unchecked Sendable`: it is owned by one thread at a time. The thread that reads ahead fills
/// it, the consumer has it from ``ReadAhead/next()`` until ``ReadAhead/recycle(_:)``; both
/// handovers are made under the ring's lock, and the ring touches no segment's bytes itself. A
/// consumer that shares a segment among threads of its own answers for their order.
package final class InputSegment: @unchecked Sendable {
  /// The memory, aligned to a page; freed with the segment.
  package let storage: UnsafeMutableRawPointer
  /// Where the input's bytes begin: the room in front of them.
  package let slack: Int
  /// How many bytes of input it can hold.
  package let capacity: Int
  /// How many it holds.
  package internal(set) var count = 0
  /// Bytes of the file that had been taken when it was full: compressed ones, if it is compressed.
  package internal(set) var bytesTaken = 0

  private static let pageSize = 4096

  init(slack: Int, capacity: Int) {
    self.slack = slack
    self.capacity = capacity
    storage = .allocate(byteCount: slack + capacity, alignment: Self.pageSize)
  }

  deinit { storage.deallocate() }

  /// The input's bytes.
  package var bytes: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: storage + slack, count: count)
  }

  /// Where the input's bytes are to be put.
  var space: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: storage + slack, count: capacity)
  }
}
