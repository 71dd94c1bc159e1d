import CXXPeers

/// A parser of simdjson, which keeps its memory between documents.
final class SimdjsonPeer {
  private let handle: OpaquePointer

  init() throws {
    guard let handle = peers_simdjson_make() else { throw ContestError("simdjson has no memory") }
    self.handle = handle
  }

  deinit { peers_simdjson_free(handle) }

  func parse(_ document: Document) throws -> Proof {
    var work = peers_work()
    guard
      peers_simdjson_parse(
        handle, document.path, document.isLines, document.kind.recordsKey, &work)
    else { throw ContestError("simdjson refuses \(document.path)") }
    return Proof(bytes: work.bytes, records: work.records)
  }
}
