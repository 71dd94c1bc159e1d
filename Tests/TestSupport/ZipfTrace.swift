/// Requests for numbered objects. The n-th object is requested 1/n as often as the first.
package struct ZipfTrace {
  private var generator: SeededGenerator
  /// The share of the requests for each object and all objects before it.
  private let cumulative: [Double]

  package init(objects: Int, seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    var sum = 0.0
    cumulative = (1...objects).map { rank in
      sum += 1 / Double(rank)
      return sum
    }
  }

  /// The number of the next object, from 0.
  package mutating func next() -> Int {
    let wanted = Double.random(in: 0..<cumulative[cumulative.count - 1], using: &generator)
    var range = 0..<cumulative.count
    while range.count > 1 {
      let middle = (range.lowerBound + range.upperBound) / 2
      range =
        cumulative[middle - 1] > wanted
        ? range.lowerBound..<middle : middle..<range.upperBound
    }
    return range.lowerBound
  }
}
