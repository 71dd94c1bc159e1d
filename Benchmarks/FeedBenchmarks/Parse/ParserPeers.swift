import CPeers
import CXXPeers

extension Contestant where Arena == Document {
  /// `yajl_parse` in a C loop of 1 MiB reads with empty callbacks. It validates the document by
  /// YAJL's rules, which accept some texts that RFC 8259 forbids, and keeps nothing. It counts no
  /// records, so its proof is the number of bytes.
  ///
  /// The streams of zlib and zstd decompress its input on the same thread.
  static func yajl(_ form: DocumentForm) -> Contestant {
    let name =
      switch form {
      case .pretty, .minified, .lines: "YAJL in C"
      case .gzip: "zlib and YAJL in C"
      case .zstandard: "libzstd and YAJL in C"
      }
    return Contestant(name) { document in
      var bytes = 0
      let isDone =
        switch document.form {
        case .pretty, .minified, .lines:
          feedbench_parse_with_yajl(document.path, document.isLines, &bytes)
        case .gzip: peers_parse_gzip_with_yajl(document.path, &bytes)
        case .zstandard: peers_parse_zstandard_with_yajl(document.path, &bytes)
        }
      guard isDone else { throw ContestError("YAJL refuses \(document.path)") }
      return Proof(bytes: bytes)
    }
  }

  /// simdjson's DOM parser, which needs the whole document and its tape in memory. It validates
  /// against RFC 8259 and converts every value. With a large document it spends most of its time
  /// on getting memory from the system.
  static var simdjson: Contestant {
    Contestant("simdjson") { document in try SimdjsonPeer().parse(document) }
  }

  /// The same with the memory of the previous round, as in a program that reads many documents.
  static var simdjsonWithMemory: Contestant {
    let parser = Result { try SimdjsonPeer() }
    return Contestant("simdjson, memory reused") { document in
      try parser.get().parse(document)
    }
  }

  /// RapidJSON's SAX reader over a stream of 1 MiB reads. It validates UTF-8. Its handler counts
  /// records and keeps nothing.
  static var rapidJSON: Contestant {
    Contestant("RapidJSON SAX") { document in
      var work = peers_work()
      guard
        peers_parse_with_rapidjson(
          document.path, document.isLines, document.recordDepth, &work)
      else { throw ContestError("RapidJSON refuses \(document.path)") }
      return Proof(bytes: work.bytes, records: work.records)
    }
  }
}
