/// A program or library that does the work of a contest.
struct Contestant<Arena> {
  /// One run of the work.
  struct Attempt {
    /// The measured work. Its objects live until the attempt is released, which is not measured.
    var run: () throws -> Proof
    /// Reads the result back afterwards, for example from a store. This is not measured. Its proof
    /// replaces the proof that `run` returns.
    var readBack: (() throws -> Proof)?
  }

  let name: String
  /// Prepares an attempt. This is not measured.
  let begin: (Arena) throws -> Attempt

  /// - Parameter run: the whole work, which is measured.
  init(_ name: String, run: @escaping (Arena) throws -> Proof) {
    self.name = name
    begin = { arena in Attempt(run: { try run(arena) }) }
  }

  /// - Parameter begin: prepares an attempt, and is not measured.
  init(_ name: String, begin: @escaping (Arena) throws -> Attempt) {
    self.name = name
    self.begin = begin
  }
}
