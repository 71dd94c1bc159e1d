import Foundation
import TestSupport

/// One bit of one file.
struct Flip: Equatable {
  enum File: String {
    case data = "data.mdb"
    case lock = "lock.mdb"
  }

  let file: File
  let offset: Int
  let bit: UInt8
  /// What lies there.
  let place: String

  /// Chooses a bit: half of them in used bytes of meta, branch and leaf pages, a third of these in
  /// each; the others anywhere, one in twenty of them in the lock file.
  init(number: Int, _ map: PageMap, dataCount: Int, lockCount: Int, _ random: inout SeededGenerator)
  {
    bit = 1 << UInt8.random(in: 0..<8, using: &random)
    if number % 2 == 0 {
      file = .data
      let kind = [PageMap.Kind.meta, .branch, .leaf][number / 2 % 3]
      let regions = map.regions.filter { $0.kind == kind }
      var rest = Int.random(in: 0..<regions.reduce(0) { $0 + $1.bytes.count }, using: &random)
      var chosen = regions[0]
      for region in regions {
        chosen = region
        if rest < region.bytes.count { break }
        rest -= region.bytes.count
      }
      offset = chosen.bytes.lowerBound + rest
      place = chosen.name
    } else if number % 40 == 1 {
      file = .lock
      offset = Int.random(in: 0..<lockCount, using: &random)
      place = "lock file"
    } else {
      file = .data
      offset = Int.random(in: 0..<dataCount, using: &random)
      place = map.region(of: offset)?.name ?? "unused"
    }
  }
}

extension Flip {
  /// Every bit of the regions of a name, one after the other.
  static func all(in place: String, _ map: PageMap) -> [Flip] {
    map.regions.filter { $0.name == place }.flatMap { region in
      region.bytes.flatMap { offset in
        (0..<8).map { Flip(file: .data, offset: offset, bit: 1 << UInt8($0), place: place) }
      }
    }
  }

  private init(file: File, offset: Int, bit: UInt8, place: String) {
    (self.file, self.offset, self.bit, self.place) = (file, offset, bit, place)
  }

  /// Reads what ``line`` says.
  init?(line: Substring) {
    let words = line.split(separator: " ", maxSplits: 3)
    guard words.count == 4, let file = File(rawValue: String(words[0])),
      let offset = Int(words[1]), let bit = UInt8(words[2])
    else { return nil }
    self.init(file: file, offset: offset, bit: bit, place: String(words[3]))
  }

  /// For a file.
  var line: String { "\(file.rawValue) \(offset) \(bit) \(place)" }
}

extension Flip: CustomStringConvertible {
  var description: String { "bit \(bit) of byte \(offset) of \(file.rawValue) (\(place))" }
}
