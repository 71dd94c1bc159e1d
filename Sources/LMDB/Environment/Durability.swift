/// What an environment may lose in a power cut. It stays consistent in any case.
public enum Durability: Hashable, Sendable {
  /// The last commit may be lost; one synchronisation a commit (`MDB_NOMETASYNC`).
  case cache
  /// Nothing that was committed is lost; two synchronisations a commit.
  case full
}
