// Functions and their parameters have the names of feedcore.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFeedCore
import FeedStorage
import JSONStream
import LMDB

/// The common frame of every function of the header: it resolves handles and converts errors.
///
/// No Swift error leaves a C function, and no function traps because of its arguments.
enum Call {
  typealias ErrorSlot = UnsafeMutablePointer<OpaquePointer?>?

  /// Runs the body of a function without a handle.
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

  /// Runs the body of a function on a handle that other calls may use concurrently.
  static func share<Object: Handle>(
    _ word: OpaquePointer?, _ type: Object.Type, _ error: ErrorSlot,
    _ body: (Object) throws -> feedcore_status
  ) -> feedcore_status {
    enter(word, type, alone: false, error, body)
  }

  /// The same on a handle that only one call may use at a time.
  static func own<Object: Handle>(
    _ word: OpaquePointer?, _ type: Object.Type, _ error: ErrorSlot,
    _ body: (Object) throws -> feedcore_status
  ) -> feedcore_status {
    enter(word, type, alone: true, error, body)
  }

  /// The same, and closes the handle, unless the call is refused.
  static func end<Object: Handle>(
    _ word: OpaquePointer?, _ type: Object.Type, _ error: ErrorSlot,
    _ body: (Object) throws -> feedcore_status
  ) -> feedcore_status {
    let status = enter(word, type, alone: true, error) { object in
      // Closed while this call still counts as a user, so that no other call gets in between.
      defer { _ = HandleTable.close(word, as: type, alone: false) }
      return try body(object)
    }
    // After a fork, the handle is closed even though the body did not run.
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
        // The slot retains the object until `leave`.
        return try object._withUnsafeGuaranteedRef { object in
          guard !object.isForked else { throw Failure.forked }
          return try body(object)
        }
      } catch let failure {
        return report(Failure(failure), error)
      }
    }
  }

  /// Reads a handle's object in a call during which the caller must not close or move the handle.
  /// Nil if the handle does not refer to such an object, or the object was made before a fork.
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

  /// Closes a handle. NULL is accepted and does nothing.
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

  /// Whether an object was made before a fork. Calls that use it may then be the parent's.
  private static func isForked<Object: Handle>(_ word: OpaquePointer?, _ type: Object.Type) -> Bool
  {
    // Without a fork the object is not read: another call uses it, and nothing retains it for this
    // one.
    ForkGuard.generation > 0 && HandleTable.peek(word, as: type, \.isForked) == true
  }

  /// Returns a new handle for an object to C.
  static func give(
    _ object: some Handle, _ slot: UnsafeMutablePointer<OpaquePointer?>
  ) throws -> feedcore_status {
    guard let word = HandleTable.insert(object) else { throw Failure.tooManyHandles }
    slot.pointee = word
    return FEEDCORE_OK
  }

  /// The pointer for a result, which must not be NULL.
  static func require<Value>(
    _ pointer: UnsafeMutablePointer<Value>?, _ name: StaticString
  ) throws -> UnsafeMutablePointer<Value> {
    guard let pointer else { throw Failure(FEEDCORE_MISUSE, "\(name) is NULL") }
    return pointer
  }

  private static func report(_ failure: Failure, _ error: ErrorSlot) -> feedcore_status {
    if let error {
      error.pointee =
        HandleTable.insert(ErrorObject(failure)) ?? ReservedErrors.word(failure.status)
    }
    return failure.status
  }
}

private let version = CText(FEEDCORE_VERSION)

@c @implementation
public func feedcore_abi_version() -> CInt { FEEDCORE_ABI_VERSION }

@c @implementation
public func feedcore_version() -> UnsafePointer<CChar>? { version.start }
