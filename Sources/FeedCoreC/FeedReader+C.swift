// Functions and their parameters have the names of feedcore.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFeedCore
import FeedRecord
import FeedStorage
import JSONStream

@c @implementation
public func feedcore_reader_open(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ name_length: Int,
  _ reader: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  reader?.pointee = nil
  return Call.share(store, StoreObject.self, error) { store in
    let reader = try Call.require(reader, "reader")
    let name = try FeedName(Input.text(name, name_length, "name"))
    return try Call.give(FeedReader(store.database, name), reader)
  }
}

@c @implementation
public func feedcore_reader_close(_ reader: OpaquePointer?) -> feedcore_status {
  Call.close(reader, FeedReader.self, alone: true)
}

@c @implementation
public func feedcore_reader_feed(_ reader: OpaquePointer?) -> UnsafePointer<feedcore_feed>? {
  Call.look(reader, FeedReader.self, \.shown.feed.start)
}

@c @implementation
public func feedcore_reader_field_count(_ reader: OpaquePointer?) -> Int {
  Call.look(reader, FeedReader.self, \.shown.fields.count) ?? 0
}

@c @implementation
public func feedcore_reader_field(
  _ reader: OpaquePointer?, _ index: Int, _ field: UnsafeMutablePointer<feedcore_field_info>?
) -> feedcore_status {
  field?.pointee = feedcore_field_info()
  return Call.ask(reader, FeedReader.self) { reader in
    guard let field else { return FEEDCORE_MISUSE }
    let plan = reader.shown
    guard plan.fields.indices.contains(index) else { return FEEDCORE_NONE }
    let (found, name) = (plan.fields[index], plan.names[index])
    field.pointee = feedcore_field_info(
      id: found.id, type: found.type.rawValue, is_optional: found.isOptional ? 1 : 0,
      name: name?.start, name_length: name?.count ?? 0)
    return FEEDCORE_OK
  }
}

@c @implementation
public func feedcore_reader_select(
  _ reader: OpaquePointer?, _ fields: UnsafePointer<UInt16>?, _ count: Int,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  Call.own(reader, FeedReader.self, error) { reader in
    guard (0...Int(UInt16.max)).contains(count), fields != nil || count == 0 else {
      throw Failure(FEEDCORE_MISUSE, "fields is NULL, or their count is not that of fields")
    }
    try reader.select(Set(UnsafeBufferPointer(start: fields, count: count)))
    return FEEDCORE_OK
  }
}

// MARK: Moving

@c @implementation
public func feedcore_get(
  _ reader: OpaquePointer?, _ key: UnsafeRawPointer?, _ key_length: Int,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  Call.own(reader, FeedReader.self, error) { reader in
    let key = try Input.bytes(key, key_length, "key")
    return try reader.get(key.bytes) ? FEEDCORE_OK : FEEDCORE_NONE
  }
}

@c @implementation
public func feedcore_get_text(
  _ reader: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ key_length: Int,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  Call.own(reader, FeedReader.self, error) { reader in
    let key = try Input.text(key, key_length, "key")
    return try reader.get(text: key) ? FEEDCORE_OK : FEEDCORE_NONE
  }
}

@c @implementation
public func feedcore_get_at(
  _ reader: OpaquePointer?, _ position: UInt64, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  Call.own(reader, FeedReader.self, error) { reader in
    try reader.get(at: Int(clamping: position)) ? FEEDCORE_OK : FEEDCORE_NONE
  }
}

@c @implementation
public func feedcore_next(
  _ reader: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  Call.own(reader, FeedReader.self, error) { reader in
    try reader.next() ? FEEDCORE_OK : FEEDCORE_NONE
  }
}

@c @implementation
public func feedcore_rewind(
  _ reader: OpaquePointer?, _ position: UInt64, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  Call.own(reader, FeedReader.self, error) { reader in
    try reader.rewind(to: Int(clamping: position))
    return FEEDCORE_OK
  }
}

@c @implementation
public func feedcore_reader_position(
  _ reader: OpaquePointer?, _ position: UnsafeMutablePointer<UInt64>?
) -> feedcore_status {
  position?.pointee = 0
  return Call.ask(reader, FeedReader.self) { reader in
    guard let position else { return FEEDCORE_MISUSE }
    guard let record = reader.current else { return FEEDCORE_NONE }
    position.pointee = UInt64(clamping: record.position)
    return FEEDCORE_OK
  }
}

@c @implementation
public func feedcore_find(
  _ reader: OpaquePointer?, _ field: UInt16, _ value: UnsafeRawPointer?, _ value_length: Int,
  _ visit: feedcore_visit?, _ context: UnsafeMutableRawPointer?,
  _ count: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  count?.pointee = 0
  return Call.own(reader, FeedReader.self, error) { object in
    let value = try Input.bytes(value, value_length, "value")
    guard let visit else { throw Failure(FEEDCORE_MISUSE, "visit is NULL") }
    let visits = try object.find(field, value.bytes) { visit(context, reader) == 0 }
    count?.pointee = UInt64(clamping: visits)
    return visits > 0 ? FEEDCORE_OK : FEEDCORE_NONE
  }
}

// MARK: Text

@c @implementation
public func feedcore_reader_text(
  _ reader: OpaquePointer?, _ bytes: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
  _ length: UnsafeMutablePointer<Int>?
) -> feedcore_status {
  bytes?.pointee = nil
  length?.pointee = 0
  return Call.ask(reader, FeedReader.self) { reader in
    guard let bytes, let length else { return FEEDCORE_MISUSE }
    do throws(RecordError) {
      guard let text = try reader.text() else { return FEEDCORE_NONE }
      bytes.pointee = text.baseAddress?.assumingMemoryBound(to: CChar.self)
      length.pointee = text.count
      return FEEDCORE_OK
    } catch {
      return FEEDCORE_DAMAGED
    }
  }
}

@c @implementation
public func feedcore_reader_value(
  _ reader: OpaquePointer?, _ pointer: UnsafePointer<CChar>?, _ pointer_length: Int,
  _ value: UnsafeMutablePointer<feedcore_value>?
) -> feedcore_status {
  value?.pointee = feedcore_value()
  return Call.ask(reader, FeedReader.self) { reader in
    guard let value, let pointer = try? Input.text(pointer, pointer_length, "pointer"),
      let path = try? JSONPath(pointer: pointer)
    else { return FEEDCORE_MISUSE }
    do throws(RecordError) {
      guard let text = try reader.text(), let range = (try? path.find(in: text.bytes)) ?? nil
      else { return FEEDCORE_NONE }
      let found = UnsafeRawBufferPointer(rebasing: text[range])
      value.pointee.type = UInt8(FEEDCORE_JSON)
      value.pointee.bytes = found.baseAddress
      value.pointee.length = found.count
      value.pointee.is_null = found.elementsEqual("null".utf8) ? 1 : 0
      return FEEDCORE_OK
    } catch {
      return FEEDCORE_DAMAGED
    }
  }
}

// MARK: Fields

@c @implementation
public func feedcore_field(
  _ reader: OpaquePointer?, _ field: UInt16, _ value: UnsafeMutablePointer<feedcore_value>?
) -> feedcore_status {
  value?.pointee = feedcore_value()
  return Call.ask(reader, FeedReader.self) { reader in
    guard let value else { return FEEDCORE_MISUSE }
    guard let record = reader.current, let index = record.index(of: field) else {
      return FEEDCORE_NONE
    }
    return record.fill(value, index)
  }
}

@c @implementation
public func feedcore_field_named(
  _ reader: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ name_length: Int,
  _ value: UnsafeMutablePointer<feedcore_value>?
) -> feedcore_status {
  value?.pointee = feedcore_value()
  return Call.ask(reader, FeedReader.self) { reader in
    guard let value, let name = try? Input.bytes(name, name_length, "name") else {
      return FEEDCORE_MISUSE
    }
    guard let record = reader.current, let index = record.index(named: name) else {
      return FEEDCORE_NONE
    }
    return record.fill(value, index)
  }
}

@c @implementation
public func feedcore_element(
  _ reader: OpaquePointer?, _ field: UInt16, _ index: UInt32,
  _ bytes: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ length: UnsafeMutablePointer<Int>?
) -> feedcore_status {
  bytes?.pointee = nil
  length?.pointee = 0
  return Call.ask(reader, FeedReader.self) { reader in
    guard let bytes, let length else { return FEEDCORE_MISUSE }
    guard let record = reader.current, let position = record.index(of: field),
      let element = record.element(Int(index), of: position)
    else { return FEEDCORE_NONE }
    bytes.pointee = element.start.assumingMemoryBound(to: CChar.self)
    length.pointee = element.count
    return FEEDCORE_OK
  }
}
