import CFeedScan
import CYajl

/// The two tables of YAJL callbacks of a lane, and the handles that use them.
enum LaneCallbacks {
  /// Makes a handle whose callbacks get `context`; nil if memory runs out.
  ///
  /// YAJL does not validate strings: input validation is stricter and has checked the stream.
  ///
  /// - Parameter isArray: false if each record is a separate text.
  static func makeHandle(
    _ table: CallbackTable, context: UnsafeMutablePointer<LaneState>, isArray: Bool
  ) -> yajl_handle? {
    guard let handle = table.makeHandle(context: context) else { return nil }
    _ = feedcore_yajl_enable(handle, yajl_dont_validate_strings, 1)
    _ = feedcore_yajl_enable(handle, yajl_allow_multiple_values, isArray ? 0 : 1)
    return handle
  }

  @inline(__always)
  private static func state(_ context: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<LaneState>
  {
    // YAJL passes the pointer given to `yajl_alloc`, which is never nil.
    context.unsafelyUnwrapped.assumingMemoryBound(to: LaneState.self)
  }

  // Formed outside any actor: a closure formed on the main actor checks its executor in each call.

  /// Writes the selected values to the tape.
  static let plain = CallbackTable(
    yajl_callbacks(
      yajl_null: { state($0).pointee.literal(.null) },
      yajl_boolean: { state($0).pointee.literal($1 != 0 ? .true : .false) },
      yajl_integer: nil,
      yajl_double: nil,
      yajl_number: { context, bytes, length in
        guard let bytes else { return 0 }
        return UnsafeRawPointer(bytes).withMemoryRebound(to: UInt8.self, capacity: length) {
          state(context).pointee.number($0, length)
        }
      },
      yajl_string: { context, bytes, length in
        guard let bytes else { return 0 }
        return state(context).pointee.string(bytes, length)
      },
      yajl_start_map: { state($0).pointee.startObject() },
      yajl_map_key: { context, bytes, length in
        guard let bytes else { return 0 }
        return state(context).pointee.key(bytes, length)
      },
      yajl_end_map: { state($0).pointee.endObject() },
      yajl_start_array: { state($0).pointee.startArray() },
      yajl_end_array: { state($0).pointee.endArray() }))

  /// Writes every value to the tape, with its path.
  static let document = CallbackTable(
    yajl_callbacks(
      yajl_null: { state($0).pointee.documentLiteral(.null) },
      yajl_boolean: { state($0).pointee.documentLiteral($1 != 0 ? .true : .false) },
      yajl_integer: nil,
      yajl_double: nil,
      yajl_number: { context, bytes, length in
        guard let bytes else { return 0 }
        return UnsafeRawPointer(bytes).withMemoryRebound(to: UInt8.self, capacity: length) {
          state(context).pointee.documentNumber($0, length)
        }
      },
      yajl_string: { context, bytes, length in
        guard let bytes else { return 0 }
        return state(context).pointee.documentString(bytes, length)
      },
      yajl_start_map: { state($0).pointee.documentStart(isArray: false) },
      yajl_map_key: { context, bytes, length in
        guard let bytes else { return 0 }
        return state(context).pointee.documentKey(bytes, length)
      },
      yajl_end_map: { state($0).pointee.documentEnd() },
      yajl_start_array: { state($0).pointee.documentStart(isArray: true) },
      yajl_end_array: { state($0).pointee.documentEnd() }))

  /// Does the same as one of the others and records each token, so that replay can learn from them.
  static let recording = CallbackTable(
    yajl_callbacks(
      yajl_null: { state($0).pointee.recordLiteral(.null) },
      yajl_boolean: { state($0).pointee.recordLiteral($1 != 0 ? .true : .false) },
      yajl_integer: nil,
      yajl_double: nil,
      yajl_number: { context, bytes, length in
        guard let bytes else { return 0 }
        return UnsafeRawPointer(bytes).withMemoryRebound(to: UInt8.self, capacity: length) {
          state(context).pointee.recordNumber($0, length)
        }
      },
      yajl_string: { context, bytes, length in
        guard let bytes else { return 0 }
        return state(context).pointee.recordString(bytes, length)
      },
      yajl_start_map: { state($0).pointee.recordStart(.startObject) },
      yajl_map_key: { context, bytes, length in
        guard let bytes else { return 0 }
        return state(context).pointee.recordKey(bytes, length)
      },
      yajl_end_map: { state($0).pointee.recordEnd(.endObject) },
      yajl_start_array: { state($0).pointee.recordStart(.startArray) },
      yajl_end_array: { state($0).pointee.recordEnd(.endArray) }))
}
