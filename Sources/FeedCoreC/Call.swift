import CFeedCore
import FeedStorage
import JSONStream
import LMDB

/// What every function of the header does around its work: handles in, errors out.
///
/// No Swift error leaves a function of C, and none of them traps on what it is given.
enum Call {
  typealias ErrorSlot = UnsafeMutablePointer<OpaquePointer?>?

  /// Runs the work of a function that needs no handle.
  static func run(
    _ error: ErrorSlot, _ body: () throws -> feedcore_status
  ) -> feedcore_status {
    error?.pointee = nil
    do {
      return try body()
    } catch let failure {
      return report(Failure(failure), error)
    }
  }

  /// Runs the work of a function on a handle that it shares with other calls.
  static func share<Object: Handle>(
    _ word: OpaquePointer?, _ type: Object.Type, _ error: ErrorSlot,
    _ body: (Object) throws -> feedcore_status
  ) -> feedcore_status {
    enter(word, type, alone: false, error, body)
  }

  /// The same on a handle that one call at a time may use.
  static func own<Object: Handle>(
    _ word: OpaquePointer?, _ type: Object.Type, _ error: ErrorSlot,
    _ body: (Object) throws -> feedcore_status
  ) -> feedcore_status {
    enter(word, type, alone: true, error, body)
  }

  /// The same, and closes the handle, unless the call is kept out.
  static func end<Object: Handle>(
    _ word: OpaquePointer?, _ type: Object.Type, _ error: ErrorSlot,
    _ body: (Object) throws -> feedcore_status
  ) -> feedcore_status {
    let status = enter(word, type, alone: true, error) { object in
      // While this call is counted in, so that none comes between.
      defer { _ = HandleTable.close(word, as: type, alone: false) }
      return try body(object)
    }
    // What a child does not enter it closes all the same.
    if status == FEEDCORE_FORKED { _ = HandleTable.close(word, as: type, alone: false) }
    return status
  }

  @inline(__always)
  private static func enter<Object: Handle>(
    _ word: OpaquePointer?, _ type: Object.Type, alone: Bool, _ error: ErrorSlot,
    _ body: (Object) throws -> feedcore_status
  ) -> feedcore_status {
    error?.pointee = nil
    switch HandleTable.enter(word, as: type, alone: alone) {
    case .unknown: return report(.badHandle, error)
    case .inUse: return report(isForked(word, type) ? .forked : .inUse, error)
    case .entered(let object):
      defer { HandleTable.leave(word) }
      do {
        // The slot keeps the object until `leave`.
        return try object._withUnsafeGuaranteedRef { object in
          guard !object.isForked else { throw Failure.forked }
          return try body(object)
        }
      } catch let failure {
        return report(Failure(failure), error)
      }
    }
  }

  /// Looks at what a handle stands for, where by the rules nobody closes or moves it meanwhile; nil
  /// where it stands for no such thing, or for one of before a fork.
  @inline(__always)
  static func look<Object: Handle, Result>(
    _ word: OpaquePointer?, _ type: Object.Type, _ body: (Object) -> Result
  ) -> Result? {
    HandleTable.peek(word, as: type) { object in object.isForked ? nil : body(object) } ?? nil
  }

  /// The same, for functions that return a status.
  @inline(__always)
  static func ask<Object: Handle>(
    _ word: OpaquePointer?, _ type: Object.Type, _ body: (Object) -> feedcore_status
  ) -> feedcore_status {
    HandleTable.peek(word, as: type) { object in
      object.isForked ? FEEDCORE_FORKED : body(object)
    } ?? FEEDCORE_BAD_HANDLE
  }

  /// Closes a handle; NULL is none, and no failure.
  static func close<Object: Handle>(
    _ word: OpaquePointer?, _ type: Object.Type, alone: Bool
  ) -> feedcore_status {
    guard word != nil else { return FEEDCORE_OK }
    switch HandleTable.close(word, as: type, alone: alone && !isForked(word, type)) {
    case .unknown: return FEEDCORE_BAD_HANDLE
    case .inUse: return FEEDCORE_MISUSE
    case .entered: return FEEDCORE_OK
    }
  }

  /// Whether an object was made before a fork. The calls that use it then may be the parent's.
  private static func isForked<Object: Handle>(_ word: OpaquePointer?, _ type: Object.Type) -> Bool
  {
    // Elsewhere the object is not looked at: it is another call's, and nothing keeps it for this one.
    ForkGuard.generation > 0 && HandleTable.peek(word, as: type, \.isForked) == true
  }

  /// Gives C a handle of an object.
  static func give(
    _ object: some Handle, _ slot: UnsafeMutablePointer<OpaquePointer?>
  ) throws -> feedcore_status {
    guard let word = HandleTable.insert(object) else { throw Failure.tooManyHandles }
    slot.pointee = word
    return FEEDCORE_OK
  }

  /// The place for a result, which must be there.
  static func require<Value>(
    _ place: UnsafeMutablePointer<Value>?, _ name: StaticString
  ) throws -> UnsafeMutablePointer<Value> {
    guard let place else { throw Failure(FEEDCORE_MISUSE, "\(name) is NULL") }
    return place
  }

  private static func report(_ failure: Failure, _ error: ErrorSlot) -> feedcore_status {
    if let error {
      error.pointee =
        HandleTable.insert(ErrorObject(failure)) ?? ReservedErrors.word(failure.status)
    }
    return failure.status
  }
}
