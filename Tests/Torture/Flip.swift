import Foundation
import TestSupport

/// One bit of one file.
struct Flip: Equatable {
  enum File: String, CaseIterable {
    case data = "feeds/data.mdb"
    case lock = "feeds/lock.mdb"
    case images = "images/data.mdb"
    case imagesLock = "images/lock.mdb"
  }

  let file: File
  let offset: Int
  let bit: UInt8
  /// The kind of data at the offset.
  let place: String

  /// Chooses a bit. Half of the bits lie in used bytes of meta, branch and leaf pages, a third of
  /// these in each kind. The others lie anywhere, one in twenty of them in a lock file. One bit in
  /// five lies in the files of the images.
  init(number: Int, _ disk: FlipDisk, _ random: inout SeededGenerator) {
    bit = 1 << UInt8.random(in: 0..<8, using: &random)
    let isOfImages = number % 10 >= 8
    let file = isOfImages ? File.images : .data
    if number % 2 == 0 {
      self.file = file
      let kind = [PageMap.Kind.meta, .branch, .leaf][number / 2 % 3]
      let regions = disk.map(of: file).regions.filter { $0.kind == kind }
      var rest = Int.random(in: 0..<regions.reduce(0) { $0 + $1.bytes.count }, using: &random)
      var chosen = regions[0]
      for region in regions {
        chosen = region
        if rest < region.bytes.count { break }
        rest -= region.bytes.count
      }
      offset = chosen.bytes.lowerBound + rest
      place = disk.name(of: chosen, in: file)
    } else if number % 40 == 1 || number % 40 == 29 {
      self.file = isOfImages ? .imagesLock : .lock
      offset = Int.random(in: 0..<disk.bytes(of: self.file).count, using: &random)
      place = "lock file"
    } else {
      self.file = file
      offset = Int.random(in: 0..<disk.bytes(of: file).count, using: &random)
      let region = disk.map(of: file).region(of: offset)
      place = region.map { disk.name(of: $0, in: file) } ?? "unused"
    }
  }
}

extension Flip {
  /// Every bit of the regions with a name, in order.
  static func all(in place: String, _ disk: FlipDisk) -> [Flip] {
    var flips: [Flip] = []
    for file in [File.data, .images] {
      for region in disk.map(of: file).regions where disk.name(of: region, in: file) == place {
        for position in 0..<8 * region.bytes.count {
          let offset = region.bytes.lowerBound + position / 8
          let bit: UInt8 = 1 << UInt8(position % 8)
          flips.append(Flip(file: file, offset: offset, bit: bit, place: place))
        }
      }
    }
    return flips
  }

  private init(file: File, offset: Int, bit: UInt8, place: String) {
    (self.file, self.offset, self.bit, self.place) = (file, offset, bit, place)
  }

  /// Parses a ``line``.
  init?(line: Substring) {
    let words = line.split(separator: " ", maxSplits: 3)
    guard words.count == 4, let file = File(rawValue: String(words[0])),
      let offset = Int(words[1]), let bit = UInt8(words[2])
    else { return nil }
    self.init(file: file, offset: offset, bit: bit, place: String(words[3]))
  }

  /// The text form for a file.
  var line: String { "\(file.rawValue) \(offset) \(bit) \(place)" }
}

extension Flip: CustomStringConvertible {
  var description: String { "bit \(bit) of byte \(offset) of \(file.rawValue) (\(place))" }
}
