import CYajl

/// YAJL's side of a lane: the table of callbacks and the handles that use it.
enum LaneCallbacks {
  /// Makes a handle that reports to `context`, or nil where memory is out.
  ///
  /// Strings are not validated by YAJL: the gate has proved the whole stream, more strictly.
  ///
  /// - Parameter isArray: false if each record is a text of its own.
  static func makeHandle(
    context: UnsafeMutablePointer<LaneState>, isArray: Bool
  ) -> yajl_handle? {
    guard let handle = yajl_alloc(table.pointer, nil, context) else { return nil }
    _ = feedcore_yajl_enable(handle, yajl_dont_validate_strings, 1)
    _ = feedcore_yajl_enable(handle, yajl_allow_multiple_values, isArray ? 0 : 1)
    return handle
  }

  @inline(__always)
  private static func state(_ context: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<LaneState>
  {
    // YAJL hands back the pointer given to `yajl_alloc`, which is never nil.
    context.unsafelyUnwrapped.assumingMemoryBound(to: LaneState.self)
  }

  /// `yajl_alloc` keeps the address of its table, so the table is made once and never freed.
  private struct Table: @unchecked Sendable {
    // Immutable once made, and plain function pointers: safe to read from every thread.
    let pointer: UnsafePointer<yajl_callbacks>
  }

  // Formed here, outside any actor: a closure formed on the main actor checks its executor at
  // each call.
  private static let table: Table = {
    let callbacks = UnsafeMutablePointer<yajl_callbacks>.allocate(capacity: 1)
    callbacks.initialize(
      to: yajl_callbacks(
        yajl_null: { LaneCallbacks.state($0).pointee.literal(.null) },
        yajl_boolean: { LaneCallbacks.state($0).pointee.literal($1 != 0 ? .true : .false) },
        yajl_integer: nil,
        yajl_double: nil,
        yajl_number: { context, bytes, length in
          guard let bytes else { return 0 }
          return UnsafeRawPointer(bytes).withMemoryRebound(to: UInt8.self, capacity: length) {
            LaneCallbacks.state(context).pointee.number($0, length)
          }
        },
        yajl_string: { context, bytes, length in
          guard let bytes else { return 0 }
          return LaneCallbacks.state(context).pointee.string(bytes, length)
        },
        yajl_start_map: { LaneCallbacks.state($0).pointee.startObject() },
        yajl_map_key: { context, bytes, length in
          guard let bytes else { return 0 }
          return LaneCallbacks.state(context).pointee.key(bytes, length)
        },
        yajl_end_map: { LaneCallbacks.state($0).pointee.endObject() },
        yajl_start_array: { LaneCallbacks.state($0).pointee.startArray() },
        yajl_end_array: { LaneCallbacks.state($0).pointee.endArray() }))
    return Table(pointer: UnsafePointer(callbacks))
  }()
}
