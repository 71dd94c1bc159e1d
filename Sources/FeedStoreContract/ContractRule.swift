/// One rule of a store's contract, and how to find out whether a store keeps it.
///
/// A rule makes the stores that it needs, so that rules may be verified in any order and at once.
/// In a test suite each is a case of its own:
///
/// ```swift
/// @Test(arguments: specs.rules)
/// func contract(rule: ContractRule) async throws { try await rule.verify() }
/// ```
public struct ContractRule: Sendable, CustomStringConvertible {
  /// What a store that keeps the rule does.
  public let name: String

  private let check: @Sendable () async throws -> Void

  init(_ name: String, _ check: @escaping @Sendable () async throws -> Void) {
    self.name = name
    self.check = check
  }

  /// Returns if the store keeps the rule.
  ///
  /// - Throws: ``ContractViolation`` if it does not; `CancellationError` if the task was cancelled.
  public func verify() async throws {
    do {
      try await check()
    } catch let breach as Breach {
      throw ContractViolation(rule: name, message: breach.message, cause: nil)
    } catch let error as CancellationError where Task.isCancelled {
      throw error
    } catch {
      throw ContractViolation(rule: name, message: "it throws \(error)", cause: error)
    }
  }

  public var description: String { name }
}

extension [ContractRule] {
  /// Returns if the store keeps all of the rules.
  ///
  /// - Throws: what ``ContractRule/verify()`` throws for the first that is broken.
  public func verify() async throws {
    for rule in self { try await rule.verify() }
  }
}
