/// Ours against a peer on the same work, in turn, so that the ratios hold on a machine whose
/// speed drifts.
package struct Contest: Sendable {
  private var ours: [Double] = []
  private var peers: [Double] = []

  /// What one round took: seconds, of all or a piece, for both alike.
  mutating func add(ours: Double, peer: Double) {
    self.ours.append(ours)
    peers.append(peer)
  }

  /// Ours in the best round.
  package var bestOurs: Double { ours.min() ?? .infinity }
  /// The peer's in its best round.
  package var bestPeer: Double { peers.min() ?? .infinity }

  /// Our time over the peer's, in the median of the rounds.
  package var ratio: Double {
    let ratios = ratios
    return ratios.isEmpty ? .infinity : ratios[ratios.count / 2]
  }

  /// What half of the rounds lie between.
  package var spread: (from: Double, to: Double) {
    let ratios = ratios
    guard let last = ratios.indices.last else { return (.infinity, .infinity) }
    return (ratios[last / 4], ratios[last - last / 4])
  }

  /// Our time over the peer's in each round, least first.
  private var ratios: [Double] { zip(ours, peers).map { $0 / $1 }.sorted() }
}
