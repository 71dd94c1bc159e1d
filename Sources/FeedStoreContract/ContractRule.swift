/// One rule of a store's contract, with a check for it.
///
/// A rule makes the stores that it needs, so rules may be verified in any order and concurrently.
/// In a test suite each rule is a test case:
///
/// ```swift
/// @Test(arguments: specs.rules)
/// func contract(rule: ContractRule) async throws { try await rule.verify() }
/// ```
public struct ContractRule: Sendable, CustomStringConvertible {
  /// What a store that follows the rule does.
  public let name: String

  private let check: @Sendable () async throws -> Void

  init(_ name: String, _ check: @escaping @Sendable () async throws -> Void) {
    self.name = name
    self.check = check
  }

  /// Returns if the store follows the rule.
  ///
  /// - Throws: ``ContractViolation`` if it does not; `CancellationError` if the task was cancelled.
  public func verify() async throws {
    do {
      try await check()
    } catch let failure as FailedCheck {
      throw ContractViolation(rule: name, message: failure.message, cause: nil)
    } catch let error as CancellationError where Task.isCancelled {
      throw error
    } catch {
      throw ContractViolation(rule: name, message: "it throws \(error)", cause: error)
    }
  }

  public var description: String { name }
}

extension [ContractRule] {
  /// Returns if the store follows all of the rules.
  ///
  /// - Throws: what ``ContractRule/verify()`` throws for the first violated rule.
  public func verify() async throws {
    for rule in self { try await rule.verify() }
  }
}

/// A violation of a store's contract.
public struct ContractViolation: Error, CustomStringConvertible {
  /// The name of the rule.
  public let rule: String
  /// What the store did instead of following the rule.
  public let message: String
  /// The store's error, if it threw one that it must not throw.
  public let cause: (any Error)?

  public var description: String { "The store violates the rule \"\(rule)\": \(message)" }
}

/// The result of a failed check. Its rule converts it into a ``ContractViolation``.
struct FailedCheck: Error {
  var message: String
}

/// Fails a check if the store does not follow its rule.
func require(_ isMet: Bool, _ message: @autoclosure () -> String) throws {
  if !isMet { throw FailedCheck(message: message()) }
}
