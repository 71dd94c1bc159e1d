/// What an environment may lose in a power cut. It stays consistent in any case.
public enum Durability: Hashable, Sendable {
  /// The last commit may be lost; one synchronisation per commit (`MDB_NOMETASYNC`).
  case cache
  /// No commit is lost; two synchronisations per commit.
  case full
}
