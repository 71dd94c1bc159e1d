#if Cluster
  import FeedStorage
  import RESPClient

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Which shared store a near store copies: the file `origin` in its directory, with a prefix and
  /// one node a line.
  ///
  /// After a cluster has lost its data, the near store alone knows the identifier. It counts only if
  /// the file names the same prefix and a node of the URL, since a directory may be given by mistake.
  struct NearStoreOrigin {
    private static let file = "origin"

    private let near: String?
    private let prefix: String
    private let nodes: [String]

    init(_ url: ClusterURL) {
      near = url.near
      prefix = url.prefix
      nodes = url.nodes.map { "\($0)" }
    }

    /// The identifier of the near store of the URL; nil if there is none, or one of another store.
    var identifier: UInt64? {
      get throws(StoreError) {
        guard let near, let lines = Self.lines(in: near), lines.first == prefix,
          !Set(nodes).isDisjoint(with: lines.dropFirst())
        else { return nil }
        var options = FeedDatabase.Options()
        options.createsMissing = false
        return try FeedDatabase.open(at: near, options: options).identifier
      }
    }

    func write(to directory: String) throws(StoreError) {
      let lines = [prefix] + nodes
      guard Self.lines(in: directory) != lines else { return }
      do {
        let text = lines.map { $0 + "\n" }.joined()
        try Data(text.utf8).write(
          to: URL(filePath: directory + "/" + Self.file), options: .atomic)
      } catch {
        throw StoreError(
          .ioError, "the origin of the near store cannot be written: \(error)", path: directory)
      }
    }

    private static func lines(in directory: String) -> [String]? {
      guard let data = try? Data(contentsOf: URL(filePath: directory + "/" + file)) else {
        return nil
      }
      return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }
#endif
