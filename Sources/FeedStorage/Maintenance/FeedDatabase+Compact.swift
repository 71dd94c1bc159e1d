import LMDB

/// The result of compacting one environment.
public struct CompactionReport: Hashable, Sendable {
  /// The environment: `feeds`, `images`.
  public let environment: String
  /// The size of its file before, in bytes.
  public let bytesBefore: Int
  /// The size of its file after, in bytes.
  public let bytesAfter: Int
}

extension FeedDatabase {
  /// Rewrites every environment of the store without its free pages.
  ///
  /// Other processes may be attached. Readers continue, writers wait until it is done, and both
  /// switch to the new file automatically. Needs as much free disk space as the data. If the
  /// process is killed, the old file or the new one is complete.
  public func compact() throws(StoreError) -> [CompactionReport] {
    try WholeStore(self).compact()
  }
}

extension WholeStore {
  /// See ``FeedDatabase/compact()``.
  package func compact() throws(StoreError) -> [CompactionReport] {
    var reports: [CompactionReport] = []
    for name in Environment.names(in: directory) {
      do throws(LMDBError) {
        let environment = try environment(name)
        let before = try environment.statistics().fileBytes
        try environment.compact()
        let after = try environment.statistics().fileBytes
        reports.append(
          CompactionReport(environment: name, bytesBefore: before, bytesAfter: after))
      } catch {
        throw StoreError(error)
      }
    }
    return reports
  }
}
