/// Contestants that do the same work in turn, round after round. So the ratios are also valid on a
/// machine whose speed drifts. Each round begins with another contestant.
///
/// A contest fails if proofs differ in any round, or if a contestant returns no proof.
struct Contest<Arena> {
  /// A group of contests, which is a table of the results.
  enum Group: String {
    case parse, decode, ingest
    case lookUp = "look-up"
    case scan, image
  }

  let group: Group
  /// The work, such as `universities, pretty`.
  let name: String
  /// Distinguishes contests of the same name whose documents differ in size.
  var variant = ""
  let rounds: Int
  let ours: [Contestant<Arena>]
  let peers: [Contestant<Arena>]
  /// Makes the data that the contestants share.
  let makeArena: () throws -> Arena
  let yardstick: (Arena) -> Yardstick
  /// The known part of the proof, before the work is done.
  var expectation: (Arena) -> Proof = { _ in Proof() }

  var contestants: [Contestant<Arena>] { ours + peers }

  /// Runs each contestant once. Returns their seconds in the order of ``contestants``.
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
        throw ContestError("\(contestant.name) returns no proof of its work")
      }
      guard known.agrees(with: proof) else {
        throw ContestError(
          "\(contestant.name) has not done the same work as the others: \(proof), not \(known)")
      }
      known.complete(from: proof)
    }
    return seconds
  }
}
