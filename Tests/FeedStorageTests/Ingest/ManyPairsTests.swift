@_spi(Ingest) import FeedRecord
import FeedStorage
import Testing

@Suite("Index pairs beyond what one transaction takes")
struct ManyPairsTests {
  private let layout: RecordLayout

  init() throws {
    let fields = [
      RecordField(id: 1, type: .text), RecordField(id: 2, type: .textList),
      RecordField(id: 3, type: .textList), RecordField(id: 4, type: .textList),
    ]
    layout = try RecordLayout(schemaID: 8, fields: fields)
  }

  @Test("one record with very long indexed lists is stored and found by each")
  func longLists() throws {
    let feed = try TestFeed { $0.indexPairs = 1 << 12 }
    let writer = try TestFeed.begin(feed.database, kind: "lists", layout: layout) {
      $0.indexedFields = [2, 3, 4]
    }
    let count = 30_000
    let key = Array("key".utf8)
    var encoder = RecordEncoder(layout: layout)
    let list = 4 * count + RecordEncoder.listOverhead(count: count)
    encoder.begin(variableByteCount: key.count + 3 * list)
    encoder.setText(0, key.span.bytes)
    for field in 1...3 {
      encoder.beginList(field, count: count)
      for number in 0..<UInt32(count) { encoder.appendElement([number].span.bytes) }
    }
    encoder.end(keyHash: KeyHash.hash(key.span.bytes))
    try writer.append(encoder)
    try writer.publish()
    for field in [2, 3, 4] as [UInt16] {
      for number in [0, UInt32(count) / 2, UInt32(count) - 1, UInt32(count)] {
        let found = try feed.database.existingFeed(named: FeedName("feed"))
          .forEachRecord(whereField: field, hasBytes: [number].span.bytes) { _, _ in }
        #expect(found == (number < count ? 1 : 0))
      }
    }
  }
}
