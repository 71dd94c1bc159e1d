/// The result of verifying one environment of a store.
public struct StoreCheckReport: Hashable, Sendable {
  /// The environment: `feeds`, `images`.
  public var environment: String
  /// One sentence per inconsistency, at most a hundred of a kind; empty if all is intact.
  public var findings: [String] = []
  /// The number of used pages of the file.
  public var pages = 0
  /// The number of published feeds.
  public var feeds = 0
  /// The number of verified blocks, of records and of indexes.
  public var blocks = 0
  /// The number of records that were read and compared with their index.
  public var records = 0
  /// The number of images whose rows, bytes and ring entries were verified.
  public var images = 0

  /// Creates a report without findings.
  public init(environment: String) {
    self.environment = environment
  }

  /// Whether there are no findings.
  public var isSound: Bool { findings.isEmpty }
}
