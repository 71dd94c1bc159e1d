/// What proving one environment of a store has shown.
public struct StoreCheckReport: Hashable, Sendable {
  /// The environment: `feeds`, `images`.
  public var environment: String
  /// One sentence for each contradiction, at most a hundred of a kind; none where all is sound.
  public var findings: [String] = []
  /// Pages of the file that are in use.
  public var pages = 0
  /// Published feeds.
  public var feeds = 0
  /// Blocks whose checksums were proved, of records and of indexes.
  public var blocks = 0
  /// Records that were read, each found in its index.
  public var records = 0
  /// Images whose rows, bytes and places in the ring were proved.
  public var images = 0

  /// A report without findings.
  public init(environment: String) {
    self.environment = environment
  }

  /// Whether nothing contradicts anything.
  public var isSound: Bool { findings.isEmpty }
}
