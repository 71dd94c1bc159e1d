public import FeedRecord
package import LMDB

extension StoreError: LMDBErrorConvertible {
  package init(_ error: LMDBError) {
    self.init(Self.code(error.code), error.message, path: error.path, cause: error)
  }

  private static func code(_ code: LMDBError.Code) -> Code {
    switch code {
    case .diskFull, .mapFull: .diskFull
    case .damaged: .damaged
    case .incompatible: .incompatible
    case .notFound: .notFound
    case .permission: .permission
    case .busy, .readersFull: .busy
    case .replaced: .replaced
    case .forked: .forked
    case .reentrantWrite, .wrongThread, .closed, .invalidArgument: .misuse
    default: .ioError
    }
  }
}

extension StoreError {
  /// The error for an unreadable record or block.
  public init(_ error: RecordError) {
    self.init(error, path: nil)
  }

  init(_ error: RecordError, path: String?) {
    let code: Code = error.code == .unsupportedVersion ? .incompatible : .damaged
    self.init(code, error.message, path: path, cause: error)
  }

  /// The error for any error of the lower layers.
  package init(wrapping error: any Error, path: String? = nil) {
    switch error {
    case let error as StoreError: self = error
    case let error as LMDBError: self.init(error)
    case let error as RecordError: self.init(error, path: path)
    default: self.init(.ioError, "\(error)", path: path, cause: error)
    }
  }
}
