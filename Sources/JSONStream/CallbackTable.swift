import CYajl

/// A table of YAJL callbacks, and the handles that use it. `yajl_alloc` keeps its address, so a
/// table is never freed.
///
/// `@unchecked Sendable`: it is immutable once made and holds plain function pointers, so every
/// thread may read it.
struct CallbackTable: @unchecked Sendable {
  private let pointer: UnsafePointer<yajl_callbacks>

  init(_ callbacks: yajl_callbacks) {
    let table = UnsafeMutablePointer<yajl_callbacks>.allocate(capacity: 1)
    table.initialize(to: callbacks)
    pointer = UnsafePointer(table)
  }

  /// Makes a handle whose callbacks get `context`; nil if memory runs out.
  func makeHandle(context: UnsafeMutableRawPointer) -> yajl_handle? {
    yajl_alloc(pointer, nil, context)
  }
}
