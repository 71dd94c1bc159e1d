/// A violation of a store's contract.
public struct ContractViolation: Error, CustomStringConvertible {
  /// The name of the rule.
  public let rule: String
  /// What the store did instead of following the rule.
  public let message: String
  /// The store's error, if it threw one that it must not throw.
  public let cause: (any Error)?

  public var description: String { "The store breaks the rule \"\(rule)\": \(message)" }
}

/// The result of a failed check. Its rule converts it into a ``ContractViolation``.
struct Breach: Error {
  var message: String
}

/// Fails a check if the store does not follow its rule.
func require(_ isKept: Bool, _ message: @autoclosure () -> String) throws {
  if !isKept { throw Breach(message: message()) }
}
