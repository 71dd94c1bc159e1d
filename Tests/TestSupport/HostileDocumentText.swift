import CFeedScan
@_spi(Ingest) import FeedRecord
import FeedSchema
import JSONStream

/// Reads any bytes as a document: finds its records, walks along paths, removes white space, and
/// reads them as the schema of a feed. Traps on a defect.
package enum HostileDocumentText {
  private static let paths = [
    "id", "a.b", "[0]", "a[1].b", "/a/0", "/", "/~0/~1", "\"\".a", "/data/items",
  ]
  private static let kernels: [feedscan_kernel] = [
    FEEDSCAN_AVX2, FEEDSCAN_AVX512, FEEDSCAN_NEON,
  ].filter(feedscan_has_kernel)

  /// - Parameter choice: chooses whether the document is complete, and the path.
  package static func take(_ text: RawSpan, choice: Int) {
    find(text, isComplete: choice & 1 == 0)
    walk(text, paths[(choice >> 1) % paths.count])
    strip(text)
    readSchema(text)
    convert(text)
    _ = try? SchemaFile(text)
  }

  private static let conversions = PayloadCatalog.standard.schemas.map { ContractConversion($0) }

  /// A record that conforms to a contract is converted.
  private static func convert(_ text: RawSpan) {
    for conversion in conversions {
      var encoder = RecordEncoder(layout: conversion.contract.layout)
      let isConverted = conversion.encode(text, into: &encoder)
      precondition(
        isConverted || !conversion.accepts(text), "a record that conforms is not converted")
    }
  }

  /// The found records are in order, and a pointer to them leads to the same location.
  private static func find(_ text: RawSpan, isComplete: Bool) {
    let found = RecordsFinder.plan(head: text, isComplete: isComplete)
    var end = 0
    for record in found.records {
      precondition(record.lowerBound >= end && !record.isEmpty, "records overlap")
      end = record.upperBound
    }
    precondition(end <= text.byteCount, "a record is longer than the text")
    precondition(found.records.count <= RecordsFinder.maximumSamples, "too many samples")
    let pointer = found.plan.pointer
    guard !pointer.isEmpty,
      let again = try? RecordsFinder.plan(for: pointer, head: text, isComplete: isComplete)
    else { return }
    precondition(again.plan.path == found.plan.path, "a pointer is another path")
  }

  /// In valid JSON a walk finds a valid value; in any text it ends.
  private static func walk(_ text: RawSpan, _ path: String) {
    guard let path = try? JSONPath(path), let range = try? path.find(in: text) else { return }
    precondition(range.upperBound <= text.byteCount, "a value is longer than the text")
    guard (try? JSONTree(parsing: text)) != nil else { return }
    let value = try? JSONTree(parsing: text.extracting(range))
    precondition(value != nil, "a value of valid JSON is not valid")
  }

  /// Every kernel copies the bytes of valid JSON that the scalar twin copies.
  private static func strip(_ text: RawSpan) {
    guard (try? JSONTree(parsing: text)) != nil else { return }
    let count = text.byteCount
    let padded = text.withUnsafeBytes { Array($0) } + [UInt8](repeating: 0x22, count: 64)
    func copy(_ kernel: feedscan_kernel) -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: count + 64) { output, written in
        written = feedscan_strip(padded, count, output.baseAddress, kernel)
      }
    }
    let expected = copy(FEEDSCAN_SCALAR)
    let end = feedscan_skip(padded, 0, count, FEEDSCAN_SCALAR)
    for kernel in kernels {
      precondition(copy(kernel) == expected, "a kernel copies other bytes than its twin")
      precondition(
        feedscan_skip(padded, 0, count, kernel) == end, "a kernel skips to another byte")
    }
  }

  /// A schema that is read has a text that gives the same schema.
  private static func readSchema(_ text: RawSpan) {
    var reader = DocumentSchemaReader()
    guard let schema = try? reader.schema(storedText: text) else { return }
    let written = schema.documentText(reader.statistics)
    var second = DocumentSchemaReader()
    guard let again = try? second.schema(storedText: written.span.bytes) else {
      preconditionFailure("a written schema cannot be read")
    }
    precondition(again.fields == schema.fields, "a written schema has other fields")
    precondition(again.document == schema.document, "a written schema has another form")
  }

  /// Documents of every framing, and the schema of a feed.
  package static let samples: [[UInt8]] = [
    #"{"data":{"items":[{"id":1,"a":{"b":[1,2]}},{"id":2}]},"n":1}"#,
    #"{"k":{"a":[0,{"b":1}]},"l":{"a":2},"m":{"a":3}}"#, #"[["a","b"],[1,2],[3,4]]"#,
    "{\"a\":[ 1 ]}\n[2]\n3\n", "\u{1E}{\"id\":1}\n\u{1E}2\n", #"{"a":[]} {"a" : "\u00e9 \\"} 5"#,
    #"{"type":"FeatureCollection","features":[{"id":1,"":{"a":" \" "}}]}"#,
    "{\"a\":{\"\u{485}b\":[{\"id\":1},{\"id\":2}]},\"n\":\"\"}",
    #"{"type":"object","x-feedcore":{"version":1,"kind":"json","form":"document","#
      + #""framing":"array","records":"/a~1b","key":["id"],"keyID":1,"count":2},"properties":{"id":"#
      + #"{"type":["integer","null"],"minimum":1,"maximum":2,"x-feedcore":{"id":1,"count":2,"#
      + #""types":{"integer":{"count":1,"first":0},"null":{"count":1,"first":1}}}}}}"#,
  ].map { Array($0.utf8) }
}
