/// A running contest: its arena and the finished rounds.
final class ContestRecord<Arena> {
  private let contest: Contest<Arena>
  private var arena: Arena?
  private var rounds: [[Double]] = []

  init(_ contest: Contest<Arena>) { self.contest = contest }

  /// Makes the arena and plays a warm-up round, which does not count.
  func open() throws {
    rounds = []
    let arena = try contest.makeArena()
    _ = try contest.play(round: 0, in: arena)
    self.arena = arena
  }

  /// Plays a round and returns a ratio for each pair, in the order of ``Contest/pairs``: how many
  /// times as good as the peer FeedCore is.
  func playRound() throws -> [Double] {
    guard let arena else { throw ContestError("the contest has no arena") }
    let seconds = try contest.play(round: rounds.count, in: arena)
    rounds.append(seconds)
    return contest.pairs.map { seconds[$0.peer] / seconds[$0.ours] }
  }

  /// Removes the arena and returns the results. They are empty if a round is missing.
  func close() -> [ContestResult] {
    defer { arena = nil }
    guard let arena, rounds.count == contest.rounds else { return [] }
    let yardstick = contest.yardstick(arena)
    let contestants = contest.contestants
    return contest.pairs.map { pair in
      ContestResult(
        contest, contestants[pair.ours], contestants[pair.peer], yardstick,
        seconds: rounds.map { ($0[pair.ours], $0[pair.peer]) })
    }
  }
}

extension Contest {
  /// Each contestant of FeedCore with each peer, as indices of ``contestants``.
  var pairs: [(ours: Int, peer: Int)] {
    ours.indices.flatMap { our in
      peers.indices.map { (ours: our, peer: ours.count + $0) }
    }
  }
}
