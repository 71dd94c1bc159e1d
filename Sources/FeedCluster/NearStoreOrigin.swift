#if Cluster
  import FeedStorage
  import RESPClient

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The shared store that a near store copies: the file `origin` in its directory, with the prefix
  /// and then one node per line.
  ///
  /// After a cluster has lost its data, only the near store has the identifier. The identifier is
  /// used only if the file names the prefix and a node of the URL, since a wrong directory may be
  /// given by mistake.
  struct NearStoreOrigin {
    private let near: String?
    private let prefix: String
    private let nodes: [String]

    init(_ url: ClusterURL) {
      near = url.near
      prefix = url.prefix
      nodes = url.nodes.map { "\($0)" }
    }

    /// Whether the URL names a near store of this store. Does not open it, since it may be damaged.
    var isNoted: Bool { near.map { isNoted(in: $0) } ?? false }

    /// The identifier of the near store of the URL; nil if there is none, or one of another store.
    var identifier: UInt64? {
      get throws(StoreError) {
        guard let near, isNoted(in: near) else { return nil }
        var options = FeedDatabase.Options()
        options.createsMissing = false
        return try FeedDatabase.open(at: near, options: options).identifier
      }
    }

    /// Writes the file if it does not name this store yet. A process that may not write the file
    /// can still read the store.
    func write(to directory: String) {
      guard !isNoted(in: directory) else { return }
      let text = ([prefix] + nodes).map { $0 + "\n" }.joined()
      try? Data(text.utf8).write(to: Self.file(in: directory), options: .atomic)
    }

    private func isNoted(in directory: String) -> Bool {
      guard let data = try? Data(contentsOf: Self.file(in: directory)) else { return false }
      let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
      return lines.first == prefix && !Set(nodes).isDisjoint(with: lines.dropFirst())
    }

    private static func file(in directory: String) -> URL {
      URL(filePath: directory + "/origin")
    }
  }
#endif
