@_spi(Ingest) import FeedRecord
import FeedSchema
import JSONStream
import TestSupport
import Testing

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

  /// The texts in which one value of a record is another, or left out, or repeated.
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

  @Test("leaves an optional value out that does not fit its field, which does not conform")
  func optional() {
    let text =
      #"{"name":"A","web_pages":[],"country":"B","alpha_two_code":"C","state-province":7,"domains":[1]}"#
    let outcome = Self.outcome(text, ContractConversion(.universities))
    #expect(outcome.isConverted && !outcome.conforms)
  }
}
