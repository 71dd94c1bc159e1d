import FeedSchema
import JSONStream

/// The first records in sort order. Only the sort values of these are in memory.
struct TopRecords: Sendable {
  private struct Entry: Sendable {
    var values: [SortValue]
    var position: Int
  }

  private let keys: [SortKey]
  private let count: Int
  private let maximumBytes: Int
  /// A heap: each entry comes after its two children, so the last one is the first element.
  private var heap: [Entry] = []
  private var byteCount = 0
  /// The number of all records that were added.
  private(set) var total = 0

  /// - Parameters:
  ///   - count: the number of records
  ///   - maximumBytes: the maximum number of bytes of their sort values
  init(_ keys: [SortKey], count: Int, maximumBytes: Int = 64 << 20) {
    self.keys = keys
    self.count = count
    self.maximumBytes = maximumBytes
  }

  /// The positions of the records in their order.
  var positions: [Int] { heap.sorted(by: precedes).map(\.position) }

  /// Takes a record if it is among the first so far.
  ///
  /// - Throws: `limitExceeded` if the values have too many bytes
  mutating func add(_ text: RawSpan, at position: Int) throws(StoreError) {
    total += 1
    guard count > 0 else { return }
    if heap.count == count, let last = heap.first, !precedes(text, position, last) { return }
    let values = keys.map { SortValue($0.value(in: text), in: text) }
    try insert(Entry(values: values, position: position))
  }

  /// Takes the records of a part that was read by another thread.
  mutating func merge(_ other: TopRecords) throws(StoreError) {
    total += other.total
    for entry in other.heap {
      if heap.count == count, let last = heap.first, !precedes(entry, last) { continue }
      try insert(entry)
    }
  }

  private mutating func insert(_ entry: Entry) throws(StoreError) {
    byteCount += Self.bytes(of: entry)
    if heap.count < count {
      heap.append(entry)
      raise(heap.count - 1)
    } else {
      byteCount -= Self.bytes(of: heap[0])
      heap[0] = entry
      lower()
    }
    guard byteCount <= maximumBytes else {
      throw StoreError(
        .limitExceeded,
        "the values to sort by have more than \(maximumBytes >> 20) MiB; set a lower limit")
    }
  }

  private static func bytes(of entry: Entry) -> Int {
    entry.values.reduce(0) { $0 + $1.byteCount }
  }

  private mutating func raise(_ index: Int) {
    var index = index
    while index > 0, precedes(heap[(index - 1) / 2], heap[index]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func lower() {
    var index = 0
    while true {
      var last = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < heap.count && precedes(heap[last], heap[child]) {
        last = child
      }
      if last == index { return }
      heap.swapAt(index, last)
      index = last
    }
  }

  private func precedes(_ first: Entry, _ second: Entry) -> Bool {
    for (index, key) in keys.enumerated() {
      let order = second.values[index].order(of: first.values[index])
      if order != 0 { return (order < 0) != key.isDescending }
    }
    return first.position < second.position
  }

  private func precedes(_ text: RawSpan, _ position: Int, _ second: Entry) -> Bool {
    for (index, key) in keys.enumerated() {
      let order = second.values[index].order(of: key.value(in: text), in: text)
      if order != 0 { return (order < 0) != key.isDescending }
    }
    return position < second.position
  }
}
