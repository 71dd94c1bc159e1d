/// One part of the torture: a promise of the store and an attempt to break it.
protocol TorturePart {
  /// The name of the part on the command line.
  static var name: String { get }
  /// The planted faults under which it must fail, by name. At least one.
  static var faults: [String] { get }

  /// Returns a line of figures. Throws ``TortureFailure`` if the promise is broken, and
  /// ``TortureSkip`` if it cannot be tested.
  static func run(_ options: TortureOptions) throws -> String

  /// The work of a process of this program that the part starts (`TortureOptions.child`).
  static func child(_ words: [String]) throws
}

extension TorturePart {
  static func child(_ words: [String]) throws {
    throw TortureFailure("\(name) has no processes of its own")
  }
}

/// A promise was broken.
struct TortureFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The part cannot run on this machine.
struct TortureSkip: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Throws ``TortureFailure`` unless a condition holds.
func demand(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
  if !condition { throw TortureFailure(otherwise()) }
}
