@_spi(Ingest) import FeedRecord
@_spi(Records) import JSONStream
import TestSupport
import Testing

@testable import FeedSchema

@Suite("The conversion of a document to a record of a contract")
struct ContractConversionTests {
  private static let values = [
    "null", "true", "5", "1.5", #""""#, #""x""#, #""\u00e9\ud800""#, "[]", #"["a","\"b"]"#,
    #"["a",null]"#, "{}", #"{"id":"i","name":"n","username":"u"}"#, #""https://e.com/1""#,
    #""2020-05-20T11:24:59Z""#, #""2AB2AE66-A4B7-4A16-B374-51BBAC8DB086""#,
  ]

  /// Whether a text conforms, and whether it is converted.
  private static func outcome(
    _ text: String, _ conversion: ContractConversion
  ) -> (conforms: Bool, isConverted: Bool) {
    let bytes = Array(text.utf8)
    var encoder = RecordEncoder(layout: conversion.contract.layout)
    let isConverted = conversion.encode(bytes.span.bytes, into: &encoder)
    #expect(encoder.count == (isConverted ? 1 : 0))
    return (conversion.accepts(bytes.span.bytes), isConverted)
  }

  /// The texts of a record in which one value is replaced, missing or repeated.
  private static func variants(of schema: PayloadSchema) -> [String] {
    var variants: [String] = []
    var keys: [String] = []
    for field in schema.fields where !keys.contains(field.path[0]) { keys.append(field.path[0]) }
    func usual(_ key: String) -> String {
      let field = schema.fields.first { $0.path[0] == key }
      return switch field?.kind {
      case .uuid: values[14]
      case .date: values[13]
      case .textList: values[8]
      default: field?.path.count == 2 ? values[11] : values[12]
      }
    }
    for odd in keys {
      for value in values {
        let members = keys.map { #""\#($0)":\#($0 == odd ? value : usual($0))"# }
        variants.append("{" + (members + [#""more":{"name":[1]}"#]).joined(separator: ",") + "}")
      }
      let rest = keys.filter { $0 != odd }.map { #""\#($0)":\#(usual($0))"# }
      variants.append("{" + rest.joined(separator: ",") + "}")
      let twice = keys + [odd]
      variants.append(
        "{" + twice.map { #""\#($0)":\#(usual($0))"# }.joined(separator: ",") + "}")
    }
    return variants
  }

  @Test(
    "never fails for a document that conforms", arguments: PayloadCatalog.standard.schemas.indices)
  func conversions(index: Int) {
    let conversion = ContractConversion(PayloadCatalog.standard.schemas[index])
    var conforming = 0
    let variants = Self.variants(of: conversion.contract)
    for text in variants + ["5", "[]", "null", "{}", #""x""#] {
      let (conforms, isConverted) = Self.outcome(text, conversion)
      #expect(isConverted || !conforms, "\(text)")
      if conforms { conforming += 1 }
    }
    #expect(conforming > 0 && conforming < variants.count)
  }

  @Test("omits an optional value that does not fit its field, and the text does not conform")
  func optional() {
    let text =
      #"{"name":"A","web_pages":[],"country":"B","alpha_two_code":"C","state-province":7,"domains":[1]}"#
    let outcome = Self.outcome(text, ContractConversion(.universities))
    #expect(outcome.isConverted && !outcome.conforms)
  }

  /// Whether a lane reports that all records of an array conform.
  private static func laneConforms(
    _ records: [String], to contract: PayloadSchema, _ validation: JSONOptions.Validation
  ) throws -> Bool {
    let consumer = try CountingConsumer(ContractConversion(contract))
    var options = JSONOptions()
    options.validation = validation
    options.lanes = 1
    let reader = RecordReader(consumer: consumer, file: "test", options: options)
    try reader.feed(Array("[\(records.joined(separator: ","))]".utf8).span.bytes)
    try reader.finish()
    return consumer.conforms
  }

  @Test(
    "a lane gives the same verdict as the text, for each record",
    arguments: PayloadCatalog.standard.schemas.indices)
  func lanes(index: Int) throws {
    let contract = PayloadCatalog.standard.schemas[index]
    let conversion = ContractConversion(contract)
    // The reader refuses half of a surrogate pair before it counts anything.
    let valid = Self.variants(of: contract).filter { !$0.contains(#"\ud8"#) }
    for text in valid + ["{}"] {
      let conforms = conversion.accepts(Array(text.utf8).span.bytes)
      #expect(try Self.laneConforms([text], to: contract, .yajl) == conforms, "\(text)")
    }
  }

  @Test("a lane compares replayed records, and records with more paths than it counts")
  func many() throws {
    func record(_ name: String) -> String {
      #"{"name":"\#(name)","web_pages":["x"],"country":"B","alpha_two_code":"C"}"#
    }
    let records = (0..<2_000).map { record("\($0)") }
    #expect(try Self.laneConforms(records, to: .universities, .replay))
    let last = #"{"name":"A","web_pages":[1],"country":"B","alpha_two_code":"C"}"#
    #expect(try !Self.laneConforms(records + [last], to: .universities, .replay))
    // The paths of the contract come after all paths that have a number.
    let wide = (0..<5_000).map { #""k\#($0)":1"# }.joined(separator: ",")
    func following(_ more: String) -> String { "{\(wide),\(more.dropFirst())" }
    #expect(try Self.laneConforms([following(record("A"))], to: .universities, .yajl))
    #expect(try !Self.laneConforms([following(last)], to: .universities, .yajl))
  }

  @Test("a key matches a field by its bytes, not by its Unicode normal form")
  func keys() throws {
    // The Kelvin sign is canonically equal to K.
    let field = PayloadSchema.Field.document(id: 1, path: ["K"])
    let form = DocumentForm(DocumentPlan(.array), key: .field(1))
    let schema = try PayloadSchema(documents: form, fields: [field])
    let consumer = CountingConsumer(nil, schema, form)
    var options = JSONOptions()
    options.lanes = 1
    let reader = RecordReader(consumer: consumer, file: "test", options: options)
    try reader.feed(Array("[{\"\u{212A}\":1},{\"K\":1}]".utf8).span.bytes)
    try reader.finish()
    #expect(consumer.batch.fieldValues == 1)
  }

  @Test("a field that comes after more paths than a lane numbers is found")
  func lateField() throws {
    let field = PayloadSchema.Field.document(id: 1, path: ["user", "id"])
    let form = DocumentForm(DocumentPlan(.array), key: .field(1))
    let consumer = CountingConsumer(
      nil, try PayloadSchema(documents: form, fields: [field]), form)
    var options = JSONOptions()
    options.lanes = 1
    let reader = RecordReader(consumer: consumer, file: "test", options: options)
    let keys = (0..<20_000).map { #"{"k\#($0)":1}"# }.joined(separator: ",")
    try reader.feed(Array(#"[\#(keys),{"user":{"id":7}}]"#.utf8).span.bytes)
    try reader.finish()
    #expect(consumer.batch.recordCount == 20_001)
    #expect(consumer.batch.fieldValues == 1)
  }
}

/// Counts the values of all records, as a lane does.
private final class CountingConsumer: RecordConsumer {
  let recordKeys: [String] = []
  let skipsRecords = false
  let batch = CountingBatch()
  private let statistics: LaneStatistics
  private let namedPaths: [[[UInt8]?]]

  convenience init(_ contract: ContractConversion?) throws {
    let form = DocumentForm(DocumentPlan(.array), key: .position)
    try self.init(contract, PayloadSchema(documents: form, fields: []), form)
  }

  init(_ contract: ContractConversion?, _ schema: PayloadSchema, _ form: DocumentForm) {
    statistics = LaneStatistics(
      ValueCounter(schema, form, recordsBefore: 0, contract: contract))
    namedPaths = ValueCounter.namedPaths(schema, form, contract: contract)
  }

  /// Whether all records conform to the contract.
  var conforms: Bool {
    var conforms = false
    statistics.withCounter { conforms = $0.conforms }
    return conforms
  }

  func select(_ shape: DocumentShape, sample: RawSpan?, depth: Int) -> SelectionChoice {
    .selected(
      .everything(naming: namedPaths), makeContext: { [statistics] in statistics },
      makeBatch: { [batch] in batch })
  }

  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError) { throw error }
}

private final class CountingBatch: LaneBatch {
  private(set) var recordCount = 0
  /// The number of records with a value of the first field.
  private(set) var fieldValues = 0

  func deliver() -> Bool { true }
  func removeRecords(from index: Int) { recordCount = index }

  func map(_ tape: borrowing RecordTape, from first: Int) -> RecordFault? {
    guard let statistics = tape.context as? LaneStatistics else { return nil }
    statistics.withCounter { counter in
      for start in stride(from: first, to: tape.recordCount, by: counter.recordsAtOnce) {
        let records = start..<min(start + counter.recordsAtOnce, tape.recordCount)
        counter.count(tape, records, keepsFirst: false)
        recordCount += records.count
        guard counter.fieldStride > 1 else { continue }
        for place in 0..<records.count
        where counter.valuesOfFields[counter.fieldStride * place + 1] != 0 {
          fieldValues += 1
        }
      }
    }
    return nil
  }
}
