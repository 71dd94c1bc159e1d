import LMDB

/// A store with all its environments: feeds, images, or both.
package struct WholeStore {
  let directory: String
  /// Nil if there are only images: reading them must not create an environment of feeds.
  let feeds: FeedDatabase?
  private let writerTimeout: Duration

  /// Opens the existing environments and creates nothing.
  ///
  /// - Throws: as ``FeedDatabase/open(at:options:)``; also `notFound` if there is nothing
  package static func open(
    at directory: String, writerTimeout: Duration = .seconds(30)
  ) throws(StoreError) -> WholeStore {
    let names = Environment.names(in: directory)
    guard names.isEmpty || names.contains(StoreFormat.environmentDirectory) else {
      return WholeStore(directory: directory, feeds: nil, writerTimeout)
    }
    var options = FeedDatabase.Options(createsMissing: false)
    options.writerTimeout = writerTimeout
    return WholeStore(try FeedDatabase.open(at: directory, options: options))
  }

  init(_ feeds: FeedDatabase) {
    self.init(directory: feeds.directory, feeds: feeds, feeds.writerTimeout)
  }

  private init(directory: String, feeds: FeedDatabase?, _ writerTimeout: Duration) {
    self.directory = directory
    self.feeds = feeds
    self.writerTimeout = writerTimeout
  }

  func environment(_ name: String) throws(LMDBError) -> Environment {
    if name == StoreFormat.environmentDirectory, let feeds { return feeds.tables.environment }
    var configuration = Environment.Configuration(tables: FeedDatabase.tables(ofEnvironment: name))
    configuration.writerTimeout = writerTimeout
    return try Environment.open(directory + "/" + name, configuration)
  }
}

extension FeedDatabase {
  /// Whether a process in another PID namespace has the number of this one and a store open.
  ///
  /// Must be called before this process opens the store.
  package static func isProcessNumberTaken(at directory: String) -> Bool {
    [StoreFormat.environmentDirectory, ImageFormat.environmentDirectory].contains { name in
      Environment.isProcessNumberTaken(in: directory + "/" + name)
    }
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
