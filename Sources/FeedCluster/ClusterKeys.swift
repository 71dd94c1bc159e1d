#if Cluster
  import FeedStorage
  import RESPClient

  /// The keys of a shared store. Numbers are lower-case hexadecimal.
  ///
  /// A feed's row, token and list of old segments share a hash tag, since scripts change them together.
  /// Blocks have none, so they spread over all slots. The rows alone begin with the tracked prefix.
  struct ClusterKeys: Sendable {
    let prefix: String

    /// What a tracking connection watches: rows, and the identifier of the store.
    var trackedPrefix: String { prefix + ":" }

    /// The identifier of the store.
    var store: RESPKey { RESPKey("\(prefix):{store}") }
    /// The set of the names of feeds.
    var names: RESPKey { RESPKey("\(prefix)o:{store}:names") }
    /// An empty value on the node of the names.
    var namesBarrier: RESPKey { RESPKey("\(prefix)o:{store}:barrier") }

    /// The current row of a feed.
    func row(_ name: FeedName) -> RESPKey { RESPKey("\(prefix):{\(name)}:cur") }
    /// The token of the process that changes a feed.
    func owner(_ name: FeedName) -> RESPKey { RESPKey("\(prefix)o:{\(name)}:own") }
    /// The segments of a feed that are sealed and not published, or replaced and not removed.
    func old(_ name: FeedName) -> RESPKey { RESPKey("\(prefix)o:{\(name)}:old") }

    /// The reservation of a segment's number.
    func reservation(_ segment: UInt64) -> RESPKey { RESPKey("\(prefix)o:\(Self.hex(segment)):o") }

    func block(_ key: StoredBlockKey) -> RESPKey {
      let start = "\(prefix)b:\(Self.hex(key.segment)):"
      let number = String(key.number, radix: 16)
      return switch key.part {
      case .records: RESPKey(start + number)
      case .index(let index): RESPKey("\(start)i:\(String(index, radix: 16)):\(number)")
      case .envelope: RESPKey("\(start)i:e0:\(number)")
      }
    }

    /// A part of the schema's text.
    func schema(_ generation: UInt64, _ number: Int) -> RESPKey {
      RESPKey("\(prefix)b:\(Self.hex(generation)):s:\(String(number, radix: 16))")
    }

    /// The feed whose row has a key; nil for any other key.
    func feed(ofRow key: RESPKey) -> FeedName? {
      let start = Array("\(prefix):{".utf8)
      let end = Array("}:cur".utf8)
      guard key.bytes.starts(with: start), key.bytes.count > start.count + end.count,
        key.bytes.suffix(end.count).elementsEqual(end)
      else { return nil }
      let name = key.bytes[start.count..<(key.bytes.count - end.count)]
      return try? FeedName(String(decoding: name, as: UTF8.self))
    }

    static func hex(_ number: UInt64) -> String { String(number, radix: 16) }
  }
#endif
