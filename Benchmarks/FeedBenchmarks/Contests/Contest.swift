/// Several that do the same work in turn, round after round, so that the ratios hold on a machine
/// whose speed drifts. In each round another one begins.
///
/// A contest is an error where their proofs differ in any round, or where one has none.
struct Contest<Arena> {
  /// What the contests are gathered under; one table each.
  enum Group: String {
    case parse, decode, ingest
    case lookUp = "look-up"
    case scan, image
  }

  let group: Group
  /// What is done, such as `universities, pretty`.
  let name: String
  /// Tells contests of one name apart that need documents of other sizes.
  var variant = ""
  let rounds: Int
  let ours: [Contestant<Arena>]
  let peers: [Contestant<Arena>]
  /// Makes what the contestants meet in.
  let makeArena: () throws -> Arena
  let yardstick: (Arena) -> Yardstick
  /// What is known beforehand of what there is to do.
  var expectation: (Arena) -> Proof = { _ in Proof() }

  var contestants: [Contestant<Arena>] { ours + peers }

  /// Has each contestant do the work once; returns the seconds of each, in the order of
  /// ``contestants``.
  func play(round: Int, in arena: Arena) throws -> [Double] {
    let contestants = contestants
    var seconds = [Double](repeating: 0, count: contestants.count)
    var known = expectation(arena)
    for turn in contestants.indices {
      let index = (turn + round) % contestants.count
      let contestant = contestants[index]
      let attempt = try contestant.begin(arena)
      let start = ContinuousClock.now
      var proof = try attempt.run()
      seconds[index] = (ContinuousClock.now - start) / .seconds(1)
      if let readBack = attempt.readBack { proof = try readBack() }
      guard !proof.isEmpty else {
        throw ContestError("\(contestant.name) does not show what it has done")
      }
      guard known.agrees(with: proof) else {
        throw ContestError(
          "\(contestant.name) has not done the work of the others: \(proof), not \(known)")
      }
      known.complete(from: proof)
    }
    return seconds
  }
}
