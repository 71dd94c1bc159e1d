/// An error of a service, of the two kinds that the documents of the apps distinguish: "No
/// connectivity" and "Invalid data".
///
/// Presenters show customers which kind it is. The errors of `FeedAPI` conform; those of other
/// loaders may, too.
public protocol ServiceFailure: Error {
  /// True if there was no complete response; false if the response violates the contract.
  var isConnectivityFailure: Bool { get }
}
