import ArgumentParser
import FeedCore
import JSONStream

/// The records that the arguments of a command name, and the value in each that they point to.
struct RecordSelection {
  /// The key, or the parts of a composed one.
  let parts: [String]
  /// The position of the record; nil if a key selects it.
  let position: Int?
  /// The value in the record; nil for all of it.
  let path: JSONPath?

  /// - Parameters:
  ///   - arguments: the parts of a key, and a JSON Pointer if something precedes it.
  ///   - position: the position, instead of a key.
  /// - Throws: wrong usage.
  init(_ arguments: [String], at position: Int?) throws {
    var parts = arguments
    var path: JSONPath?
    if parts.count > 1 || position != nil, let last = parts.last,
      last.utf8.first == UInt8(ascii: "/")
    {
      do throws(JSONPath.Fault) {
        path = try JSONPath(pointer: parts.removeLast())
      } catch {
        throw ValidationError("\(error)")
      }
    }
    if let position {
      guard parts.isEmpty else { throw ValidationError("a key and --at exclude each other") }
      guard position >= 0 else { throw ValidationError("--at takes no negative number") }
    } else if parts.isEmpty {
      throw ValidationError("Missing expected argument '<key>'")
    }
    self.parts = parts
    self.position = position
    self.path = path
  }

  /// - Parameter key: the parts of a key alone.
  /// - Throws: wrong usage.
  init(key: [String]) throws {
    guard !key.isEmpty else { throw ValidationError("Missing expected argument '<key>'") }
    (parts, position, path) = (key, nil, nil)
  }

  /// Calls `body` with each record, until it returns false.
  ///
  /// - Throws: exit status 1 if there is none.
  func forEach(
    in feed: Feed, _ body: (RecordView) throws(StoreError) -> Bool
  ) throws {
    if let position {
      let count = try feed.visit(position) { record, _ throws(StoreError) in try body(record) }
      guard count > 0 else {
        throw Failure(
          .noMatch,
          "\(position): \(feed.description.name) has \(feed.description.recordCount) records,"
            + " counted from 0")
      }
      return
    }
    guard parts.count == 1 || parts.count == feed.keyPartCount else {
      throw Failure(
        .usage,
        "the key of \(feed.description.name) is \(feed.keyName); \(parts.count) parts were given")
    }
    guard let bytes = feed.keyBytes(parts) else {
      throw Failure(.noMatch, "\(key): is not a valid \(feed.keyName)")
    }
    let count = try feed.lookUp(bytes.span.bytes) { record, _ throws(StoreError) in
      try body(record)
    }
    if count == 0 { throw Failure(noRecord: key, in: feed) }
  }

  /// The key for messages.
  private var key: String { parts.joined(separator: " ") }
}
