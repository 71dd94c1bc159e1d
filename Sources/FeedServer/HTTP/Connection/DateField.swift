#if Server
  import FeedAPI
  import Synchronization

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The value of the field `Date`, updated once a second.
  final class DateField: Sendable {
    private struct Made {
      var second = -Double.infinity
      var text = ""
    }

    private let made = Mutex(Made())

    var text: String {
      let second = Date().timeIntervalSinceReferenceDate.rounded(.down)
      return made.withLock { made in
        if made.second != second {
          made.second = second
          made.text = HTTPDate.text(referenceSeconds: second) ?? ""
        }
        return made.text
      }
    }
  }
#endif
