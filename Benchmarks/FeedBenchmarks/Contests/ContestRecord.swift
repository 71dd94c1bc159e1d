/// A contest that is under way: its arena, and the rounds that were played.
final class ContestRecord<Arena> {
  private let contest: Contest<Arena>
  private var arena: Arena?
  private var rounds: [[Double]] = []

  init(_ contest: Contest<Arena>) { self.contest = contest }

  /// Makes the arena and plays one round that does not count: it warms caches, and files too.
  func open() throws {
    rounds = []
    let arena = try contest.makeArena()
    _ = try contest.play(round: 0, in: arena)
    self.arena = arena
  }

  /// Plays a round; returns the ratio of each of ours to each of the peers, in the order of
  /// ``Contest/pairs``: how many times as good.
  func playRound() throws -> [Double] {
    guard let arena else { throw ContestError("the contest has no arena") }
    let seconds = try contest.play(round: rounds.count, in: arena)
    rounds.append(seconds)
    return contest.pairs.map { seconds[$0.peer] / seconds[$0.ours] }
  }

  /// Removes the arena; returns the results, none if not all rounds were played.
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
  /// Each of ours with each of the peers, as indices of ``contestants``.
  var pairs: [(ours: Int, peer: Int)] {
    ours.indices.flatMap { our in
      peers.indices.map { (ours: our, peer: ours.count + $0) }
    }
  }
}
