/// One part of the torture: a promise of the store and what tries to break it.
protocol TorturePart {
  /// What the part is called on the command line.
  static var name: String { get }
  /// The planted faults under which it must fail, by name. At least one.
  static var faults: [String] { get }

  /// Throws ``TortureFailure`` when the promise is broken, ``TortureSkip`` where it cannot be
  /// tried; returns a line of figures.
  static func run(_ options: TortureOptions) throws -> String

  /// What a process does that the part has started of this program (`TortureOptions.child`).
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

/// This machine does not let the part be tried.
struct TortureSkip: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Throws ``TortureFailure`` unless a condition holds.
func demand(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
  if !condition { throw TortureFailure(otherwise()) }
}
