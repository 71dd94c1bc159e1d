/// The locations of a layout's fields in the records of another layout.
package struct FieldSources: Sendable {
  /// In the order of the fields; nil for those that the records lack.
  fileprivate let locations: [FieldLocation?]

  /// - Parameter stored: the layout of the records, which can become the other one.
  package init(of layout: RecordLayout, in stored: RecordLayout) {
    locations = layout.fields.map { stored.location(of: $0.id) }
  }
}

@_spi(Ingest) extension RecordEncoder {
  /// Encodes a stored record again, in the current format.
  ///
  /// - Parameter sources: the locations of this encoder's fields in the record.
  package mutating func append(
    copying record: RecordView, from sources: FieldSources, keyHash: UInt64
  ) throws(RecordError) {
    var byteCount = 0
    for case let location? in sources.locations {
      byteCount += try record.variableByteCount(location)
    }
    begin(variableByteCount: byteCount)
    for (field, location) in sources.locations.enumerated() {
      if let location { try copy(field, at: location, of: record) }
    }
    end(keyHash: keyHash)
  }

  private mutating func copy(
    _ field: Int, at location: FieldLocation, of record: RecordView
  ) throws(RecordError) {
    if record.isNull(location) { setNull(field) }
    guard record.isPresent(location) else { return }
    switch FieldType(rawValue: location.rawType) {
    case .text: if let text = try record.rawText(location) { setText(field, text) }
    case .textList: if let list = try record.textList(location) { try copy(field, list) }
    case .boolean: if let value = try record.boolean(location) { setBoolean(field, value) }
    case .integer: if let value = try record.integer(location) { setInteger(field, value) }
    case .number: if let value = try record.number(location) { setNumber(field, value) }
    case .date:
      if let value = try record.date(location) { setDate(field, referenceSeconds: value) }
    case .uuid:
      if let value = try record.uuid(location) { setUUID(field, high: value.high, low: value.low) }
    case .json, .span, nil: break
    }
  }

  private mutating func copy(_ field: Int, _ list: TextListView) throws(RecordError) {
    beginList(field, count: list.count)
    for index in 0..<list.count { appendElement(try list.rawElement(at: index)) }
  }
}

extension RecordView {
  /// The number of variable bytes of a field, lists counted with 16-bit offsets.
  fileprivate func variableByteCount(_ location: FieldLocation) throws(RecordError) -> Int {
    switch FieldType(rawValue: location.rawType) {
    case .text: return try rawText(location)?.byteCount ?? 0
    case .textList:
      guard let list = try textList(location) else { return 0 }
      var count = RecordEncoder.listOverhead(count: list.count)
      for index in 0..<list.count { count += try list.rawElement(at: index).byteCount }
      return count
    default: return 0
    }
  }
}
