/// What a compaction has done to one environment.
public struct CompactionReport: Hashable, Sendable {
  /// The environment: `feeds`, `images`.
  public let environment: String
  /// The bytes of its file before.
  public let bytesBefore: Int
  /// The bytes of its file now.
  public let bytesAfter: Int
}

extension FeedDatabase {
  /// Rewrites every environment of the store without its free pages.
  ///
  /// Other processes may be attached: readers go on, writers wait until it is done, and both go
  /// on with the new file by themselves. Needs as much free disk as the data take. Killed at any
  /// moment, the old file stands or the new one does.
  public func compact() throws(StoreError) -> [CompactionReport] {
    try WholeStore(self).compact()
  }

  /// All of them: whoever opens the environment while it is open gets the same one.
  static func tables(ofEnvironment name: String) -> [String] {
    switch name {
    case StoreFormat.environmentDirectory: StoreFormat.TableName.all
    case ImageFormat.environmentDirectory: ImageFormat.TableName.all
    default: []
    }
  }
}
