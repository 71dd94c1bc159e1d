import FeedAPI
@_spi(Ingest) import FeedRecord
import FeedSchema
import Foundation
import Testing

@Suite("Values of a model that no payload can have")
struct UnwritableValueTests {
  private struct Measurement: EncodablePayloadModel {
    static let schema: PayloadSchema = {
      let fields = [
        PayloadSchema.Field(id: 1, "k", kind: .text),
        PayloadSchema.Field(id: 2, "n", kind: .number, isRequired: false),
        PayloadSchema.Field(id: 3, "t", kind: .date, isRequired: false),
        PayloadSchema.Field(id: 4, "u", kind: .url),
        PayloadSchema.Field(id: 5, "v", kind: .url, isRequired: false),
      ]
      guard
        let schema = try? PayloadSchema(
          name: "measurements", identifier: 5_002, key: 1, fields: fields)
      else { preconditionFailure("one required text is a schema") }
      return schema
    }()

    var number: Double?
    var date: Date?
    var url = "https://a.example/x"
    var optionalURL: String?

    init() {}

    init(_ record: borrowing RecordView) throws(RecordError) {}

    func encode(into fields: inout RecordFields) {
      fields.set(1, "x")
      fields.set(2, number)
      fields.set(3, date)
      fields.set(4, url)
      fields.set(5, optionalURL)
    }
  }

  private func refusal(_ change: (inout Measurement) -> Void) throws -> String? {
    var measurement = Measurement()
    change(&measurement)
    var encoder = RecordEncoder(layout: Measurement.schema.layout)
    do throws(RecordError) {
      try measurement.append(to: &encoder)
      return nil
    } catch {
      #expect(encoder.count == 0)
      return error.message
    }
  }

  @Test("are rejected with the name of the field", arguments: [Double.nan, .infinity, -.infinity])
  func numbers(number: Double) throws {
    #expect(
      try refusal { $0.number = number } == "the field n of measurements cannot be \(number)")
    #expect(try refusal { $0.number = -1e300 } == nil)
  }

  @Test("are dates outside the years 0 to 9999", arguments: [Double.nan, .infinity, 1e12, -1e12])
  func dates(seconds: Double) throws {
    let refusal = try refusal { $0.date = Date(timeIntervalSinceReferenceDate: seconds) }
    #expect(refusal?.contains("the field t of measurements") == true)
    #expect(try self.refusal { $0.date = Date(timeIntervalSinceReferenceDate: 0.5) } == nil)
  }

  @Test("are required URLs whose text is not a URL", arguments: ["", "1:2", "http://a b/"])
  func urls(text: String) throws {
    let refusal = try refusal { $0.url = text }
    #expect(refusal == "the field u of measurements cannot be a text that is no URL")
    // A payload can have any text in an optional URL.
    #expect(try self.refusal { $0.optionalURL = text } == nil)
  }

  @Test("do not include other URLs", arguments: ["rel/x.jpg", "//host/x", "http:", "http://h/a b"])
  func otherURLs(text: String) throws {
    #expect(try refusal { $0.url = text } == nil)
  }
}
