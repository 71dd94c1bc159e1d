/// Compares FeedCore with a peer on the same work, alternating, so that the ratios hold on a
/// machine whose speed varies.
package struct Contest: Sendable {
  private var ours: [Double] = []
  private var peers: [Double] = []

  /// Adds the seconds of one round, in total or per item, in the same unit for both.
  mutating func add(ours: Double, peer: Double) {
    self.ours.append(ours)
    peers.append(peer)
  }

  /// FeedCore's best round.
  package var bestOurs: Double { ours.min() ?? .infinity }
  /// The peer's best round.
  package var bestPeer: Double { peers.min() ?? .infinity }

  /// FeedCore's time over the peer's, as the median of the rounds.
  package var ratio: Double {
    let ratios = ratios
    return ratios.isEmpty ? .infinity : ratios[ratios.count / 2]
  }

  /// The interquartile range of the ratios.
  package var spread: (from: Double, to: Double) {
    let ratios = ratios
    guard let last = ratios.indices.last else { return (.infinity, .infinity) }
    return (ratios[last / 4], ratios[last - last / 4])
  }

  /// FeedCore's time over the peer's in each round, in ascending order.
  private var ratios: [Double] { zip(ours, peers).map { $0 / $1 }.sorted() }
}
