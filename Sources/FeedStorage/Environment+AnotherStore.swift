import LMDB

extension Environment {
  /// Whether a file of another store stands in its place, which it refuses to read from then on.
  var isOfAnotherStore: Bool {
    do throws(LMDBError) {
      try read { _ throws(LMDBError) in }
      return false
    } catch {
      return error.code == .closed
    }
  }
}
