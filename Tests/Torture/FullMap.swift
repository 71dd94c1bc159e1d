import LMDB
import TestSupport

/// Repeatedly fills the map of an environment, deletes half in one transaction, and stores as much
/// in the next transaction.
///
/// The next transaction cannot use the pages that a transaction frees. This works only because the
/// environment makes an additional commit in between.
struct FullMap {
  private static let valueBytes = 40_000

  private let environment: Environment
  private let table: Table
  private var random: SeededGenerator
  private var numbers: [UInt32: UInt8] = [:]
  private var next: UInt32 = 0

  init(_ directory: String, seed: UInt64) throws {
    var configuration = Environment.Configuration(tables: ["entries"])
    configuration.mapSize = 4 << 20
    environment = try Environment.open(directory, configuration)
    table = try environment.table("entries")
    random = SeededGenerator(seed: seed)
  }

  mutating func run(loops: Int) throws -> String {
    var refused = 0
    for loop in 1...loops {
      while try put(1) {}
      refused += 1
      try demand(numbers.count > 20, "loop \(loop): only \(numbers.count) values fit")
      let half = numbers.keys.shuffled(using: &random).prefix(numbers.count / 2)
      try delete(Array(half))
      try demand(
        try put(half.count - 2),
        "loop \(loop): \(half.count) values were deleted, and \(half.count - 2) have no room")
      try verify()
    }
    return "\(loops) loops by transactions, \(refused) refused"
  }

  /// Returns false if there is no room.
  private mutating func put(_ count: Int) throws -> Bool {
    let new = next..<next + UInt32(count)
    let table = table
    do throws(LMDBError) {
      try environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
        for number in new {
          let value = [UInt8](repeating: Self.filler(number), count: Self.valueBytes)
          try transaction.put(table, Self.key(number).span.bytes, value.span.bytes)
        }
      }
    } catch {
      guard error.code == .mapFull else { throw error }
      return false
    }
    for number in new { numbers[number] = Self.filler(number) }
    next = new.upperBound
    return true
  }

  private mutating func delete(_ old: [UInt32]) throws {
    let table = table
    try environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
      for number in old { try transaction.delete(table, Self.key(number).span.bytes) }
    }
    for number in old { numbers[number] = nil }
  }

  private func verify() throws {
    let (table, numbers) = (table, numbers)
    let wrong = try environment.read {
      (transaction: borrowing ReadTransaction) throws(LMDBError) -> Int in
      var wrong = try transaction.count(table) == numbers.count ? 0 : 1
      for (number, filler) in numbers {
        guard let value = try transaction.get(table, Self.key(number).span.bytes) else {
          wrong += 1
          continue
        }
        let isRight = value.withUnsafeBytes { bytes in
          bytes.count == Self.valueBytes && bytes.allSatisfy { $0 == filler }
        }
        if !isRight { wrong += 1 }
      }
      return wrong
    }
    try demand(wrong == 0, "\(wrong) of \(numbers.count) values are wrong")
  }

  private static func key(_ number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static func filler(_ number: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: number) }
}
