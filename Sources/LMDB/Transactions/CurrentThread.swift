import CLMDB

/// The calling thread, identified as the kernel does.
package enum CurrentThread {
  package static var identifier: UInt64 { feedcore_thread_id() }
}
