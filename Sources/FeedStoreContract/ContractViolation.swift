/// A store breaks a rule of its contract.
public struct ContractViolation: Error, CustomStringConvertible {
  /// The name of the rule.
  public let rule: String
  /// What the store did in place of what the rule wants.
  public let message: String
  /// The store's error, where it threw one that it must not throw.
  public let cause: (any Error)?

  public var description: String { "The store breaks the rule \"\(rule)\": \(message)" }
}

/// What a check has found; its rule makes a ``ContractViolation`` of it.
struct Breach: Error {
  var message: String
}

/// Ends a check if the store has not done what its rule wants.
func require(_ isKept: Bool, _ message: @autoclosure () -> String) throws {
  if !isKept { throw Breach(message: message()) }
}
