import FeedCore
import JSONStream

/// The exit status of the program, after sysexits(3).
enum ExitStatus: Int32 {
  case success = 0
  /// `get` or `detail` found no record with the key.
  case noMatch = 1
  case usage = 64
  case badData = 65
  /// There is no such input, feed or image.
  case noInput = 66
  /// The service cannot be reached or sends more than the limit, and the cache has no valid copy.
  case unavailable = 69
  /// Reading, writing or the store failed.
  case failedIO = 74
  /// Another process is changing the feed, or has changed it.
  case busy = 75
  /// After Ctrl-C: 128 and the number of SIGINT.
  case interrupted = 130
}

// The exit status of each error of the library.
extension Failure {
  init(_ error: JSONError) {
    let status: ExitStatus =
      switch error.kind {
      case .noInput: .noInput
      case .inputOutput: .failedIO
      case .cancelled: .interrupted
      default: .badData
      }
    self.init(status, "\(error)", excerpt: error.excerptForTerminal)
  }

  init(_ error: StoreError) {
    let status: ExitStatus =
      switch error.code {
      case .invalidName, .invalidKind, .misuse: .usage
      case .notFound: .noInput
      case .tooLarge: .badData
      case .busy, .conflict, .replaced: .busy
      case .unreachable: .unavailable
      case .cancelled: .interrupted
      default: .failedIO
      }
    self.init(status, "\(error)")
  }

  /// No record of a feed has the key.
  init(noRecord key: String, in feed: Feed) {
    self.init(
      .noMatch,
      "\(key.isEmpty ? "''" : key): no record of \(feed.description.name) has this"
        + " \(feed.keyName)")
  }

  init(_ error: IngestError) {
    if let payload = error.payload {
      self.init(payload)
    } else if let store = error.store {
      self.init(store)
    } else {
      let status: ExitStatus =
        switch error.code {
        case .cancelled: .interrupted
        // The content of the files is at fault, not the request.
        case .severalKinds, .tooManyRejected: .badData
        default: .failedIO
        }
      self.init(status, error.message)
    }
  }

  /// A failed request to a service, with the apps' message and the reason.
  init(_ error: RemoteError) {
    switch error.kind {
    case .connectivity:
      self.init(.unavailable, "Couldn't connect to server: \(error)")
    case .invalidData:
      var excerpt: String?
      var status = ExitStatus.badData
      switch error.cause {
      case .payload(let payload): excerpt = payload.excerptForTerminal
      // The body was not read to its end, so it is unknown whether the data is valid.
      case .tooLarge: status = .unavailable
      default: break
      }
      self.init(status, "Invalid data: \(error)", excerpt: excerpt)
    }
  }
}
