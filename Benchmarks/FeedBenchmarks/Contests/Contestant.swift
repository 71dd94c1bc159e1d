/// One of those that do the same work.
struct Contestant<Arena> {
  /// One time of doing it.
  struct Attempt {
    /// What is measured. Its objects live until the attempt is dropped, which is not measured.
    var run: () throws -> Proof
    /// What is read back afterwards, from a store for instance, without being measured. Goes before
    /// what `run` returns.
    var readBack: (() throws -> Proof)?
  }

  let name: String
  /// Makes what an attempt needs, without being measured.
  let begin: (Arena) throws -> Attempt

  /// - Parameter run: all of the work, measured.
  init(_ name: String, run: @escaping (Arena) throws -> Proof) {
    self.name = name
    begin = { arena in Attempt(run: { try run(arena) }) }
  }

  /// - Parameter begin: makes what an attempt needs, and is not measured.
  init(_ name: String, begin: @escaping (Arena) throws -> Attempt) {
    self.name = name
    self.begin = begin
  }
}
