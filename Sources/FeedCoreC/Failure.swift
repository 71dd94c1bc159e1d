import CFeedCore
import FeedRecord
import FeedSchema
import FeedStorage
import JSONStream

/// A failure with the status that C receives.
struct Failure: Error {
  let status: feedcore_status
  let message: String
  /// The position of the fault, if the input is invalid.
  var position: JSONError?

  init(_ status: feedcore_status, _ message: String) {
    self.status = status
    self.message = message
  }

  init(_ error: any Error) {
    switch error {
    case let error as Failure: self = error
    case let error as StoreError: self.init(Self.status(error.code), error.description)
    case let error as QueryError: self.init(FEEDCORE_MISUSE, error.description)
    case let error as JSONError: self.init(error)
    case let error as IngestError: self.init(error)
    case let error as RecordError: self.init(FEEDCORE_DAMAGED, error.message)
    default: self.init(FEEDCORE_IO, "\(error)")
    }
  }

  private init(_ error: JSONError) {
    self.init(Self.status(error.kind), error.description)
    if status == FEEDCORE_PAYLOAD { position = error }
  }

  private init(_ error: IngestError) {
    if let store = error.store {
      self.init(Self.status(store.code), error.message)
    } else if let payload = error.payload {
      self.init(payload)
    } else {
      self.init(Self.status(error.code), error.message)
    }
  }

  private static func status(_ code: IngestError.Code) -> feedcore_status {
    switch code {
    case .severalKinds: FEEDCORE_SEVERAL_KINDS
    case .tooManyRejected: FEEDCORE_TOO_MANY_REJECTED
    case .cancelled: FEEDCORE_CANCELLED
    default: FEEDCORE_PAYLOAD
    }
  }

  private static func status(_ kind: JSONError.Kind) -> feedcore_status {
    switch kind {
    case .noInput: FEEDCORE_NOT_FOUND
    case .inputOutput: FEEDCORE_IO
    case .cancelled: FEEDCORE_CANCELLED
    default: FEEDCORE_PAYLOAD
    }
  }

  private static func status(_ code: StoreError.Code) -> feedcore_status {
    switch code {
    case .busy: FEEDCORE_BUSY
    case .notFound: FEEDCORE_NOT_FOUND
    case .diskFull: FEEDCORE_DISK_FULL
    case .damaged: FEEDCORE_DAMAGED
    case .incompatible: FEEDCORE_INCOMPATIBLE
    case .permission: FEEDCORE_PERMISSION
    case .conflict: FEEDCORE_CONFLICT
    case .replaced: FEEDCORE_REPLACED
    case .invalidName: FEEDCORE_INVALID_NAME
    case .invalidKind: FEEDCORE_INVALID_KIND
    case .tooLarge: FEEDCORE_TOO_LARGE
    case .cancelled: FEEDCORE_CANCELLED
    case .forked: FEEDCORE_FORKED
    case .misuse: FEEDCORE_MISUSE
    default: FEEDCORE_IO
    }
  }

  static var badHandle: Failure {
    Failure(FEEDCORE_BAD_HANDLE, "the handle is NULL, closed, or of another kind")
  }

  static var inUse: Failure {
    Failure(
      FEEDCORE_MISUSE, "the handle is used by another call; give each thread one of its own")
  }

  static var forked: Failure {
    Failure(
      FEEDCORE_FORKED,
      "the handle was created before a fork; open the store in a program that is started by exec")
  }

  static var tooManyHandles: Failure {
    Failure(FEEDCORE_NO_MEMORY, "too many handles are open; close those that are not needed")
  }

  static var readOnly: Failure {
    Failure(
      FEEDCORE_READ_ONLY,
      "the store was opened read-only; open it with FEEDCORE_READ_WRITE")
  }
}
