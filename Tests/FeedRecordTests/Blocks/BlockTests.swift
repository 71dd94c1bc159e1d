@_spi(Ingest) import FeedRecord
import Testing

@Suite("Block")
struct BlockTests {
  @Test("a block is filled up to its target size, to the byte")
  func sizeBoundary() throws {
    let layout = try SampleRecords.singleText()
    var builder = BlockBuilder(layout: layout)
    let header = 40 + 4
    #expect(builder.byteCount == header)
    let first = [UInt8](repeating: 1, count: 1_000)
    builder.append(first.span.bytes, isWide: false)
    let space = 65_520 - header - 1_000 - 2 - 2
    #expect(builder.canHold(byteCount: space, isWide: false) == true)
    #expect(builder.canHold(byteCount: space + 1, isWide: false) == false)
    let second = [UInt8](repeating: 1, count: space)
    builder.append(second.span.bytes, isWide: false)
    #expect(builder.byteCount == 65_520)
    #expect(builder.recordCount == 2)
    #expect(builder.canHold(byteCount: 0, isWide: false) == false)
    let block = builder.seal(number: 0, firstOrdinal: 0, seed: 0).bytes
    #expect(block.count == 65_520)
    let view = try BlockView(block.span.bytes)
    let sizes = (try view.record(at: 0).bytes.byteCount, try view.record(at: 1).bytes.byteCount)
    #expect(sizes == (1_000, space))
  }

  @Test("a record larger than the target size has a block of its own", arguments: [65_500, 70_000])
  func largeRecord(size: Int) throws {
    let layout = try SampleRecords.singleText()
    var encoder = RecordEncoder(layout: layout)
    encoder.encode([.text(String(repeating: "x", count: size))])
    var builder = BlockBuilder(layout: layout)
    let isWide = encoder.isWide(at: 0)
    #expect(builder.canHold(byteCount: encoder.byteCount, isWide: isWide) == true)
    builder.append(encoder.bytes(at: 0), isWide: isWide)
    #expect(builder.canHold(byteCount: 1, isWide: false) == false)
    let announced = builder.byteCount
    let block = builder.seal(number: 4, firstOrdinal: 5, seed: 6).bytes
    #expect(block.count == announced)
    #expect(try readBlock(block, seed: 6, layout: layout).count == 1)
    // The next block is a regular one again.
    #expect(builder.recordCount == 0)
    #expect(builder.byteCount == 44)
    let small: [UInt8] = [1, 65]
    builder.append(small.span.bytes, isWide: false)
    let next = builder.seal(number: 5, firstOrdinal: 6, seed: 6).bytes
    #expect(try readBlock(next, seed: 6, layout: layout) == [[.text("A")]])
  }

  @Test("a wide record is not added to a block with another record")
  func wideRecordIsAlone() throws {
    var builder = BlockBuilder(layout: try SampleRecords.singleText())
    #expect(builder.canHold(byteCount: 70_000, isWide: true) == true)
    let small: [UInt8] = [0]
    builder.append(small.span.bytes, isWide: false)
    #expect(builder.canHold(byteCount: 10, isWide: true) == false)
  }

  @Test("the header has number, first ordinal, schema and layout")
  func header() throws {
    let layout = try SampleRecords.everyType()
    let block = makeBlock(
      SampleRecords.everyTypeRecords, layout: layout, number: 77, firstOrdinal: 1 << 40, seed: 1)
    let view = try BlockView(block.span.bytes)
    let (number, firstOrdinal, schemaID) = (view.number, view.firstOrdinal, view.schemaID)
    let (recordCount, isWide) = (view.recordCount, view.isWide)
    #expect(number == 77)
    #expect(firstOrdinal == 1 << 40)
    #expect(schemaID == 7)
    #expect(recordCount == 4)
    #expect(!isWide)
    #expect(try view.layout() == layout)
    let (matches, matchesOther) = (
      view.matches(layout), view.matches(try SampleRecords.university())
    )
    #expect(matches)
    #expect(!matchesOther)
  }

  @Test("a block without records is valid")
  func empty() throws {
    let layout = try SampleRecords.singleText()
    let block = makeBlock([], layout: layout, seed: 1)
    #expect(try readBlock(block, seed: 1, layout: layout) == [])
  }

  @Test("a valid block at another position is detected")
  func wrongPlace() throws {
    let layout = try SampleRecords.singleText()
    let seed = BlockSeed.seed(environment: 11, segment: 22, number: 33)
    let block = makeBlock([[.text("here")]], layout: layout, number: 33, seed: seed)
    let view = try BlockView(block.span.bytes)
    #expect(errorCode { () throws(RecordError) in try view.verify(seed: seed) } == nil)
    let others = [
      BlockSeed.seed(environment: 12, segment: 22, number: 33),
      BlockSeed.seed(environment: 11, segment: 23, number: 33),
      BlockSeed.seed(environment: 11, segment: 22, number: 34),
    ]
    for other in others {
      let code = errorCode { () throws(RecordError) in try view.verify(seed: other) }
      #expect(code == .checksumMismatch)
    }
  }

  @Test("an index that is out of range is an error")
  func outOfRange() throws {
    let layout = try SampleRecords.everyType()
    let block = makeBlock(SampleRecords.everyTypeRecords, layout: layout, seed: 1)
    let view = try BlockView(block.span.bytes)
    for index in [-1, 4, .max, .min] {
      let code = errorCode { () throws(RecordError) in _ = try view.record(at: index) }
      #expect(code == .outOfRange)
    }
    let list = try #require(try view.record(at: 0).textList(12)?.count)
    #expect(list == 3)
    for index in [-1, 3, .max, .min] {
      let code = errorCode { () throws(RecordError) in
        _ = try view.record(at: 0).textList(12)?.rawElement(at: index)
      }
      #expect(code == .outOfRange)
    }
  }

  @Test("a newer version is distinguished from damage")
  func newerVersion() throws {
    var block = makeBlock([[.text("x")]], layout: try SampleRecords.singleText(), seed: 1)
    block[4] = 4
    #expect(
      errorCode { () throws(RecordError) in _ = try BlockView(block.span.bytes) }
        == .unsupportedVersion)
    block[0] = 0
    #expect(
      errorCode { () throws(RecordError) in _ = try BlockView(block.span.bytes) } == .damaged)
  }
}
