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

  /// All tables: another opener of the environment gets the same object.
  static func tables(ofEnvironment name: String) -> [String] {
    switch name {
    case StoreFormat.environmentDirectory: StoreFormat.TableName.all
    case ImageFormat.environmentDirectory: ImageFormat.TableName.all
    default: []
    }
  }
}
