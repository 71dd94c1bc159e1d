#if Cluster
  import FeedStorage
  import RESPClient

  /// The keys of a segment or of a generation's schema, and why they are in the list of old segments.
  ///
  /// Blocks without a time to live always have an owner: a published row, or such an entry.
  struct OldSegment: Sendable {
    enum Status: Sendable {
      /// A writer has sealed it and not published it.
      case sealed(token: String)
      /// A later row has replaced it.
      case replaced
      /// A cleaner removes it.
      case abandoned
    }

    /// The number of the segment; that of the generation with `isSchema`.
    let number: UInt64
    let isSchema: Bool
    var status: Status
    /// The number of keys by part: `r`, `e`, `s`, or the number of an index.
    private let counts: [(part: String, count: UInt32)]

    /// A segment of a row.
    ///
    /// - Parameter withSchema: whether the schema of the row has the same number and belongs to it
    init(_ segment: UInt64, of row: SharedRow, withSchema: Bool, _ status: Status) {
      number = segment
      isSchema = false
      self.status = status
      var counts: [String: UInt32] = [:]
      row.forEachBlockKey(of: segment) { key in
        let part =
          switch key.part {
          case .records: "r"
          case .envelope: "e"
          case .index(let index): String(index, radix: 10)
          }
        counts[part, default: 0] += 1
      }
      if withSchema { counts["s"] = UInt32(clamping: row.schemaChunkCount) }
      self.counts = counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The first blocks of the records of a segment that is not complete, and not listed.
    init(_ segment: UInt64, recordBlocks: UInt32) {
      number = segment
      isSchema = false
      status = .abandoned
      counts = [("r", recordBlocks)]
    }

    /// The schema of a row.
    init(schemaOf row: SharedRow, _ status: Status) {
      number = row.generation
      isSchema = true
      self.status = status
      counts = [("s", UInt32(clamping: row.schemaChunkCount))]
    }

    // MARK: Text

    var field: String { ClusterKeys.hex(number) + (isSchema ? ":s" : "") }

    var value: String {
      let state =
        switch status {
        case .sealed(let token): "T" + token
        case .replaced: "R"
        case .abandoned: "D"
        }
      return state + ";" + counts.map { "\($0.part)=\($0.count)" }.joined(separator: ",")
    }

    /// Nil for an entry that this version does not understand.
    init?(field: String, value: String) {
      isSchema = field.hasSuffix(":s")
      guard let number = UInt64(isSchema ? String(field.dropLast(2)) : field, radix: 16),
        let end = value.firstIndex(of: ";"), let state = value.first
      else { return nil }
      self.number = number
      switch state {
      case "T": status = .sealed(token: String(value[..<end].dropFirst()))
      case "R": status = .replaced
      case "D": status = .abandoned
      default: return nil
      }
      var counts: [(String, UInt32)] = []
      for entry in value[value.index(after: end)...].split(separator: ",") {
        let parts = entry.split(separator: "=")
        guard parts.count == 2, let count = UInt32(parts[1]) else { return nil }
        counts.append((String(parts[0]), count))
      }
      self.counts = counts
    }

    // MARK: Keys

    /// Passes the keys of all blocks.
    func forEachKey(_ keys: ClusterKeys, _ body: (RESPKey) -> Void) {
      for (part, count) in counts {
        for number in 0..<count {
          switch part {
          case "s": body(keys.schema(self.number, Int(number)))
          case "r": body(key(.records, number, keys))
          case "e": body(key(.envelope, number, keys))
          default:
            if let index = UInt8(part) { body(key(.index(index), number, keys)) }
          }
        }
      }
    }

    private func key(_ part: StoredBlockKey.Part, _ number: UInt32, _ keys: ClusterKeys) -> RESPKey
    {
      keys.block(StoredBlockKey(segment: self.number, part: part, number: number))
    }
  }

  extension SharedRow {
    /// The bytes of a part of the schema.
    static let schemaChunkBytes = 64 << 10

    /// The number of keys that hold the schema.
    var schemaChunkCount: Int {
      (schemaByteCount + Self.schemaChunkBytes - 1) / Self.schemaChunkBytes
    }
  }
#endif
