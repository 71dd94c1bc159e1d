@_spi(Ingest) extension RecordEncoder {
  /// Encodes a stored record once more, as records are written today.
  ///
  /// - Parameter record: of a block of this encoder's layout.
  package mutating func append(copying record: RecordView, keyHash: UInt64) throws(RecordError) {
    var byteCount = 0
    for location in locations { byteCount += try record.variableByteCount(location) }
    begin(variableByteCount: byteCount)
    for field in locations.indices { try copy(field, of: record) }
    end(keyHash: keyHash)
  }

  private mutating func copy(_ field: Int, of record: RecordView) throws(RecordError) {
    let location = locations[field]
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
    case nil: break
    }
  }

  private mutating func copy(_ field: Int, _ list: TextListView) throws(RecordError) {
    beginList(field, count: list.count)
    for index in 0..<list.count { appendElement(try list.rawElement(at: index)) }
  }
}

extension RecordView {
  /// What a field adds to the variable bytes, lists counted with offsets of 16 bits.
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
