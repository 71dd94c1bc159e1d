/// Validates a document and makes records of it, for each kind and form.
enum ParseContests {
  static func register() {
    let (bytes, rounds) = Suite.sized(ci: (2_000_000, 3), full: (64_000_000, 7))
    // Foundation's objects of 64 MB take gigabytes of memory and seconds a round.
    let (fewerBytes, fewerRounds) = Suite.sized(ci: (500_000, 2), full: (16_000_000, 3))
    for kind in PayloadKind.allCases {
      for form in DocumentForm.allCases {
        contest(
          kind, form, "", form.peers, bytes: bytes, rounds: rounds
        ).register()
      }
      for form in DocumentForm.plain {
        contest(
          kind, form, ", Foundation", [.jsonDecoder, .jsonSerialization],
          bytes: fewerBytes, rounds: fewerRounds
        ).register()
      }
    }
  }

  private static func contest(
    _ kind: PayloadKind, _ form: DocumentForm, _ variant: String, _ peers: [Contestant<Document>],
    bytes: Int, rounds: Int
  ) -> Contest<Document> {
    Contest(
      group: .parse, name: "\(kind.title), \(form.rawValue)", variant: variant, rounds: rounds,
      ours: [.parser(lanes: 1), .parser(lanes: nil)], peers: peers,
      makeArena: { try Document(kind, form, bytes: bytes) },
      yardstick: { .speed(bytes: $0.byteCount) },
      expectation: { Proof(bytes: $0.byteCount, records: $0.records) })
  }
}

extension DocumentForm {
  /// YAJL, simdjson and RapidJSON. Only YAJL has a loop that decompresses, so it is the only peer
  /// for compressed documents.
  fileprivate var peers: [Contestant<Document>] {
    switch self {
    case .pretty, .minified, .lines: [.yajl(self), .simdjson, .simdjsonWithMemory, .rapidJSON]
    case .gzip, .zstandard: [.yajl(self)]
    }
  }
}
