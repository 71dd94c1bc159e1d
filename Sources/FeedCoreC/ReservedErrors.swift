import CFeedCore

/// One error for each status, for failures when all handles are in use. Freeing them does nothing,
/// so any number of callers may share one.
///
/// Their handles are those of the table's first slot, which is never used.
enum ReservedErrors {
  /// `nonisolated(unsafe)`: the array is a constant, and errors are immutable.
  private nonisolated(unsafe) static let objects = (2..<statusTexts.count).map { status in
    ErrorObject(failure(feedcore_status(UInt32(status))))
  }

  /// The handle of the error for a failure status.
  static func word(_ status: feedcore_status) -> OpaquePointer? {
    OpaquePointer(bitPattern: UInt(status.rawValue) << HandleTable.indexBits)
  }

  /// The error of a handle, if it is a reserved one.
  static func object(_ word: OpaquePointer?) -> ErrorObject? {
    let bits = UInt(bitPattern: word)
    guard bits & UInt(HandleTable.capacity - 1) == 0 else { return nil }
    let index = Int(bits >> HandleTable.indexBits) - 2
    return objects.indices.contains(index) ? objects[index] : nil
  }

  private static func failure(_ status: feedcore_status) -> Failure {
    if status == FEEDCORE_NO_MEMORY { return .tooManyHandles }
    let text = feedcore_status_text(status).map { String(cString: $0) } ?? ""
    return Failure(
      status, "\(text); too many handles are open to say more, close those that are not needed")
  }
}
