/// What a power cut may take back from an environment; never its consistency.
public enum Durability: Hashable, Sendable {
  /// The last commit may be lost; one synchronisation a commit (`MDB_NOMETASYNC`).
  case cache
  /// Nothing that was committed is lost; two synchronisations a commit.
  case full
}
