@_spi(Ingest) import FeedRecord
import TestSupport

// Calls every accessor and reads every byte that it returns; errors are expected.

func readAll(block bytes: [UInt8], layout: RecordLayout, locations: [FieldLocation]) {
  guard let block = try? BlockView(bytes.span.bytes) else { return }
  _ = (block.number, block.firstOrdinal, block.schemaID, block.matches(layout))
  try? block.verify(seed: 1)
  _ = try? block.layout()
  for index in 0..<min(block.recordCount, 4) {
    guard let record = try? block.record(at: index) else { continue }
    readAll(record: record, layout: layout, locations: locations)
  }
}

func readAll(
  record bytes: [UInt8], isWide: Bool, layout: RecordLayout, locations: [FieldLocation]
) {
  guard let record = try? RecordView(bytes.span.bytes, layout: layout, isWide: isWide) else {
    return
  }
  readAll(record: record, layout: layout, locations: locations)
}

func readAll(record: borrowing RecordView, layout: RecordLayout, locations: [FieldLocation]) {
  HostileReading.touch(record.bytes)
  // The locations are the undamaged layout's; the ids are looked up in the damaged table.
  for location in locations { HostileReading.readAll(record, location) }
  for field in layout.fields {
    _ = record.isNull(field.id)
    _ = try? record.value(field)
  }
}

func readAll(index bytes: [UInt8]) {
  guard let view = try? IndexBlockView(bytes.span.bytes) else { return }
  _ = (view.number, view.lower, view.upper, view.coversMiss(of: 5), view.storedHash)
  try? view.verify(seed: 4)
  _ = view.firstIndex(ofHashAtLeast: 5)
  for index in 0..<min(view.count, 8) {
    _ = try? view.hash(at: index)
    _ = try? view.canBe(keyHash: 5, at: index)
    _ = try? view.ordinal(at: index)
  }
}
