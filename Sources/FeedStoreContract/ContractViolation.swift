/// A store breaks a rule of its contract.
public struct ContractViolation: Error, CustomStringConvertible {
  /// The name of the rule.
  public let rule: String
  /// What the store did, and what the rule wants.
  public let message: String

  public var description: String { "A store must keep this rule: \(rule). \(message)" }
}
