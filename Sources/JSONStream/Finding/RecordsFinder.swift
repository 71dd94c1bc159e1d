/// Finds the records of a document by its first bytes. Names only break ties.
///
/// It reads structure alone, in time linear in the head. It never rejects a document: without a
/// better plan the document is one record, and the parser reports text that is not JSON.
package enum RecordsFinder {
  /// The number of leading bytes of a document that are examined.
  package static let windowBytes = 1 << 20
  /// Records that are sampled.
  package static let maximumSamples = 256

  /// The size of a document that is short.
  private static let shortBytes = 4 << 10

  /// Keys under which services put records.
  static let knownNames: Set<String> = [
    "articles", "data", "docs", "documents", "elements", "entries", "events", "features", "hits",
    "instruments", "items", "jobs", "list", "nodes", "objects", "posts", "records", "results",
    "rows", "statuses", "users", "value", "values",
  ]

  /// Plans how to read a document.
  ///
  /// - Parameters:
  ///   - head: its first bytes, from the first one of its first value or record separator.
  ///   - isComplete: whether they are the whole document.
  package static func plan(head: RawSpan, isComplete: Bool) -> Found {
    let sampler = RecordSampler(isComplete: isComplete)
    var cursor = JSONCursor(head)
    if cursor.peek() == RecordSampler.separator { return sampler.sequence(head) }
    switch cursor.nextKind() {
    case .object:
      let trace = ContainerTrace(&cursor)
      if let found = values(head, cursor, sampler) { return found }
      return choose(head, trace, sampler, isCut: cursor.isStopped && !isComplete)
    case .array:
      _ = cursor.skipValue()
      if let found = values(head, cursor, sampler) { return found }
      return sampler.elements(head, of: .array, at: [], from: 0)
    default:
      _ = cursor.skipValue()
      return values(head, cursor, sampler) ?? sampler.single(head)
    }
  }

  /// Plans how to read the records at a JSON Pointer (RFC 6901). Each token is an object key. The
  /// empty pointer means the elements or members of the document.
  ///
  /// - Throws: ``JSONPath/Fault`` for a text that is not a pointer.
  package static func plan(
    for pointer: String, head: RawSpan, isComplete: Bool
  ) throws(JSONPath.Fault) -> Found {
    let path = try JSONPath(pointer: pointer).objectKeys()
    let sampler = RecordSampler(isComplete: isComplete)
    var cursor = JSONCursor(head)
    var candidates: [Candidate] = []
    if cursor.nextKind() == .object {
      let trace = ContainerTrace(&cursor)
      candidates = Self.candidates(head, trace)
    } else {
      _ = cursor.skipValue()
    }
    if path.isEmpty, let found = values(head, cursor, sampler) { return found }
    var found = Found(plan: DocumentPlan(.array, at: path))
    if let start = try JSONPath(keys: path).start(in: head, takingFirst: false) {
      var value = JSONCursor(head, at: start)
      if let kind = value.nextKind(), kind.isContainer {
        found = sampler.elements(head, of: kind, at: path, from: start)
      } else {
        found.container = value.nextKind()
      }
    }
    found.candidates = candidates
    return found
  }

  /// Plans a document by the plan of an earlier one: its records are in the container with the same
  /// path. Nil if it has no such container.
  package static func plan(
    like plan: DocumentPlan, head: RawSpan, isComplete: Bool
  ) -> Found? {
    var cursor = JSONCursor(head)
    guard plan.hasContainer, cursor.nextKind() == .object else { return nil }
    _ = cursor.skipValue()
    guard values(head, cursor, RecordSampler(isComplete: isComplete)) == nil else { return nil }
    let path = JSONPath(keys: plan.path)
    guard let start = try? path.start(in: head, takingFirst: false) else {
      // It may come after the head.
      return cursor.isStopped && !isComplete ? Found(plan: plan) : nil
    }
    var value = JSONCursor(head, at: start)
    guard value.nextKind() == (plan.framing == .keyed ? .object : .array) else { return nil }
    return try? Self.plan(for: plan.pointer, head: head, isComplete: isComplete)
  }

  // MARK: Rules

  /// The plan of a document in which another value follows the first; nil if none does.
  private static func values(
    _ head: RawSpan, _ end: borrowing JSONCursor, _ sampler: RecordSampler
  ) -> Found? {
    guard !end.isStopped else { return nil }
    var rest = JSONCursor(head, at: end.position)
    guard rest.peek() != nil else { return nil }
    var first = JSONCursor(head)
    _ = first.peek()
    let isValue = rest.nextKind() != nil
    let isLine =
      !contains(0x0A, head, first.position..<end.position)
      && contains(0x0A, head, end.position..<rest.position)
    // After an array, text that is not a value is a fault of the document and not a bad line.
    if isLine, isValue || first.nextKind() != .array { return sampler.lines(head) }
    return isValue ? sampler.concatenated(head) : nil
  }

  private static func contains(
    _ byte: UInt8, _ head: borrowing RawSpan, _ range: Range<Int>
  ) -> Bool {
    for offset in range where head.byte(at: offset) == byte { return true }
    return false
  }

  /// The plan of a top-level object.
  ///
  /// - Parameter isCut: whether the object continues after the head.
  private static func choose(
    _ head: RawSpan, _ trace: ContainerTrace, _ sampler: RecordSampler, isCut: Bool
  ) -> Found {
    var found: Found
    if trace.isFeatureCollection, let features = trace.features {
      found = sampler.elements(head, features)
    } else if isCut {
      found = sampler.elements(head, longDocument(head, trace))
    } else if let best = best(head, trace) {
      found = sampler.elements(head, best)
    } else if let empty = emptyRecords(head, trace) {
      found = sampler.elements(head, empty)
    } else {
      found = sampler.single(head)
    }
    found.candidates = candidates(head, trace)
    return found
  }

  /// The largest container of records with half of the bytes. It needs two records or a known name.
  ///
  /// In a short document, whose envelope weighs more, a quarter of the bytes is enough if it has a
  /// known name, no other list is larger, and the document has no id of its own. A last page with few
  /// records is then read like the pages before it.
  private static func best(
    _ head: RawSpan, _ trace: ContainerTrace
  ) -> ContainerTrace.Container? {
    let containers = trace.open.filter(\.holdsRecords) + trace.contenders
    var best: ContainerTrace.Container?
    for container in containers where container.range.count > best?.range.count ?? 0 {
      best = container
    }
    guard let best else { return nil }
    let (size, total) = (best.range.count, trace.end - trace.start)
    if size * 2 >= total { return best.elementCount >= 2 || isKnown(best, head) ? best : nil }
    let isLargest = trace.largest.allSatisfy { $0.form == .object || $0.range.count <= size }
    let isEnvelope =
      total <= shortBytes && size * 4 >= total && isLargest && !trace.hasIdentifier
    return isEnvelope && isKnown(best, head) ? best : nil
  }

  private static func isKnown(
    _ container: ContainerTrace.Container, _ head: borrowing RawSpan
  ) -> Bool {
    guard let key = container.path.last else { return false }
    return knownNames.contains(key.string(in: head))
  }

  /// An empty array with a known name, if the document has no other array and no object of similar
  /// objects. An object with an id is itself a record.
  private static func emptyRecords(
    _ head: borrowing RawSpan, _ trace: ContainerTrace
  ) -> ContainerTrace.Container? {
    guard trace.emptyArrays.count == 1, let empty = trace.emptyArrays.first,
      !trace.hasElements, !trace.hasIdentifier, isKnown(empty, head)
    else { return nil }
    return empty
  }

  /// The container of a document that is longer than the head.
  ///
  /// The container in which the head ends is chosen, because the rest of the document is likely to
  /// be in it. A closed container of records takes precedence if it has nearly all of the head.
  private static func longDocument(
    _ head: RawSpan, _ trace: ContainerTrace
  ) -> ContainerTrace.Container {
    let seen = trace.end - trace.start
    let closed = trace.contenders.last { $0.range.count * 2 >= seen && $0.elementCount >= 2 }
    if let closed, closed.range.count * 10 >= seen * 9, closed.elementCount >= 3,
      closed.range.count >= 64 << 10
    {
      return closed
    }
    return innermost(trace.open.filter(\.holdsRecords))
      ?? innermost(trace.open.filter { $0.form == .arrays })
      ?? closed
      ?? innermost(trace.open)
      ?? ContainerTrace.Container(
        path: [], form: .object, range: trace.start..<trace.end, elementCount: 0, isOpen: true)
  }

  /// Descends from the outermost open container while the inner one has at least half of the outer
  /// one's bytes: a record of the outer one would then be very long.
  private static func innermost(
    _ open: [ContainerTrace.Container]
  ) -> ContainerTrace.Container? {
    var result = open.first
    for container in open.dropFirst() {
      if let outer = result, container.range.count * 2 < outer.range.count { break }
      result = container
    }
    return result
  }

  private static func candidates(
    _ head: borrowing RawSpan, _ trace: ContainerTrace
  ) -> [Candidate] {
    var result: [Candidate] = []
    for container in trace.largest where !container.path.isEmpty {
      var path: [String] = []
      for key in container.path { path.append(key.string(in: head)) }
      result.append(
        Candidate(
          path: path, form: container.form, byteCount: container.range.count,
          elementCount: container.elementCount, isOpen: container.isOpen))
    }
    return result.sorted { $0.byteCount > $1.byteCount }
  }
}
