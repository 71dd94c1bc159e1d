/// An error of a service, of the two kinds that the documents of the apps tell apart: "No
/// connectivity" and "Invalid data".
///
/// Presenters tell customers which of them it is. The errors of `FeedAPI` conform; those of a
/// loader of one's own may, too.
public protocol ServiceFailure: Error {
  /// True if there was no response, or not all of one; false if what came is not what was agreed.
  var isConnectivityFailure: Bool { get }
}
