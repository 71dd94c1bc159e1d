// Functions and their parameters have the names of feedcore.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFeedCore
import FeedRecord
import FeedSchema
import FeedStorage
import JSONStream

/// The records of a query, or values of them, as batches of JSON texts.
///
/// Safety: the texts and offsets for C are in memory of this object, which only `next` replaces.
final class BatchScan {
  private let feed: Feed
  private let query: CompiledQuery
  private let fields: QueryFields
  private let isLines: Bool
  /// The positions of the records, if an index or an order gives them; nil for a scan.
  private let positions: [Int]?
  /// The next position to read, or the next index in `positions`.
  private var nextIndex = 0
  /// The numbers of matches to skip first, and to read at most.
  private var toSkip = 0
  private var left: Int

  private var text: [UInt8] = []
  private var offsets: [UInt64] = []
  private var textMemory = GrowingMemory<UInt8>(capacity: 4096)
  private var offsetMemory = GrowingMemory<UInt64>(capacity: 64)

  init(_ feed: Feed, _ query: FeedQuery, _ fields: QueryFields, isLines: Bool) throws {
    let compiled = try CompiledQuery(query, for: feed)
    try feed.checkFields(fields)
    self.feed = feed
    self.fields = fields
    self.isLines = isLines
    left = query.limit ?? .max
    if compiled.isOrderedByPosition {
      // A scan is resumed for each batch, so this object counts the offset and the limit.
      self.query = try CompiledQuery(FeedQuery(where: query.conditions), for: feed)
      positions = nil
      if query.conditions.isEmpty {
        nextIndex = min(query.offset, feed.description.recordCount)
      } else {
        toSkip = query.offset
      }
    } else if compiled.sort.isEmpty {
      var found: [Int] = []
      try feed.forEachMatch(of: compiled, needsText: false) { _, position, _ throws(StoreError) in
        found.append(position)
        return true
      }
      self.query = compiled
      positions = found
    } else {
      let end = compiled.offset + (compiled.limit ?? 0)
      let sorted = try feed.sortedPositions(of: compiled, by: compiled.sort, count: end, .none)
      self.query = compiled
      positions = Array(sorted.positions.dropFirst(compiled.offset))
    }
  }

  deinit {
    textMemory.deallocate()
    offsetMemory.deallocate()
  }

  /// Reads elements until they have `size` bytes; nil after the last one.
  func next(size: Int) throws(StoreError) -> feedcore_batch? {
    text.removeAll(keepingCapacity: true)
    offsets.removeAll(keepingCapacity: true)
    if !isLines { text.append(UInt8(ascii: "[")) }
    offsets.append(UInt64(clamping: text.count))
    if let positions {
      while nextIndex < positions.count, offsets.count == 1 || text.count < size {
        _ = try feed.visit(positions[nextIndex]) { record, _ throws(StoreError) in
          try append(record, RawSpan())
          return false
        }
        nextIndex += 1
      }
    } else if left > 0 {
      try scan(size)
    }
    guard offsets.count > 1 else { return nil }
    if !isLines { text[text.count - 1] = UInt8(ascii: "]") }
    return shared()
  }

  private func scan(_ size: Int) throws(StoreError) {
    var isEnd = true
    try feed.forEachMatch(of: query, from: nextIndex, needsText: !fields.columns.isEmpty) {
      record, position, json throws(StoreError) in
      nextIndex = position + 1
      guard toSkip == 0 else {
        toSkip -= 1
        return true
      }
      try append(record, json)
      left -= 1
      isEnd = left == 0
      return !isEnd && text.count < size
    }
    // The scan may also end without a match. The next call must not read the rest again.
    if isEnd || text.count < size { left = 0 }
  }

  /// - Parameter json: the text of the record; empty if it was not needed so far
  private func append(_ record: RecordView, _ json: RawSpan) throws(StoreError) {
    switch (fields.columns.isEmpty, json.isEmpty) {
    case (true, true): try feed.appendJSON(of: record, to: &text)
    case (true, false): json.withUnsafeBytes { text.append(contentsOf: $0) }
    case (false, true):
      try feed.withJSON(of: record) { json throws(StoreError) in appendValues(json) }
    case (false, false): appendValues(json)
    }
    text.append(isLines ? UInt8(ascii: "\n") : UInt8(ascii: ","))
    offsets.append(UInt64(clamping: text.count))
  }

  /// Appends the value of the only column, or an array of the values of several columns.
  private func appendValues(_ json: RawSpan) {
    let isList = fields.columns.count > 1
    if isList { text.append(UInt8(ascii: "[")) }
    fields.forEachValue(of: json) { index, value in
      if index > 0 { text.append(UInt8(ascii: ",")) }
      if !fields.append(value, ofColumn: index, in: json, to: &text) {
        text.append(contentsOf: "null".utf8)
      }
    }
    if isList { text.append(UInt8(ascii: "]")) }
  }

  /// Copies the batch into memory that C may read until the next one.
  private func shared() -> feedcore_batch {
    if text.count > textMemory.capacity {
      textMemory = textMemory.grown(to: text.count, keeping: 0)
    }
    if offsets.count > offsetMemory.capacity {
      offsetMemory = offsetMemory.grown(to: offsets.count, keeping: 0)
    }
    text.withUnsafeBufferPointer { bytes in
      if let start = bytes.baseAddress { textMemory.start.update(from: start, count: bytes.count) }
    }
    offsets.withUnsafeBufferPointer { values in
      if let start = values.baseAddress {
        offsetMemory.start.update(from: start, count: values.count)
      }
    }
    return feedcore_batch(
      bytes: UnsafeRawPointer(textMemory.start).assumingMemoryBound(to: CChar.self),
      length: text.count, offsets: offsetMemory.start, count: offsets.count - 1)
  }
}

extension CompiledQuery {
  /// Whether its records are found by reading the feed from start to end.
  fileprivate var isOrderedByPosition: Bool {
    if case .index = plan { return false }
    return sort.isEmpty
  }
}

extension FeedReader {
  /// The size of a batch if C passes 0.
  static let batchSize = 256 << 10

  func beginBatches(_ query: FeedQuery, _ fields: QueryFields, isLines: Bool) throws {
    batches = nil
    batches = try BatchScan(
      database.existingFeed(named: name), query, fields, isLines: isLines)
  }

  /// The next batch; nil after the last one, whose lease then ends.
  func nextBatch(size: Int) throws -> feedcore_batch? {
    do {
      if let batch = try batches?.next(size: size) { return batch }
    } catch {
      batches = nil
      throw error
    }
    batches = nil
    return nil
  }
}

@c @implementation
public func feedcore_batch_begin(
  _ reader: OpaquePointer?, _ query: UnsafePointer<feedcore_query>?,
  _ paths: UnsafePointer<CChar>?, _ paths_length: Int, _ flags: UInt32,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  Call.own(reader, FeedReader.self, error) { reader in
    try Input.require(flags, among: FEEDCORE_LINES)
    let query = query == nil ? FeedQuery() : try FeedQuery(query)
    let text = try Input.text(paths, paths_length, "paths")
    let fields = try QueryFields(
      names: text.isEmpty
        ? [] : text.parts(separatedBy: "\n", omittingEmpty: false))
    try reader.beginBatches(query, fields, isLines: flags & FEEDCORE_LINES != 0)
    return FEEDCORE_OK
  }
}

@c @implementation
public func feedcore_batch_next(
  _ reader: OpaquePointer?, _ size: Int, _ batch: UnsafeMutablePointer<feedcore_batch>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  batch?.pointee = feedcore_batch()
  return Call.own(reader, FeedReader.self, error) { reader in
    let batch = try Call.require(batch, "batch")
    // A length larger than `Int.max` arrives as a negative number.
    guard size >= 0 else { throw Failure(FEEDCORE_MISUSE, "the size of a batch is too large") }
    guard let next = try reader.nextBatch(size: size == 0 ? FeedReader.batchSize : size) else {
      return FEEDCORE_NONE
    }
    batch.pointee = next
    return FEEDCORE_OK
  }
}
