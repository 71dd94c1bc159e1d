import CLMDB

/// The thread that runs right now, as the kernel counts.
package enum CurrentThread {
  package static var identifier: UInt64 { feedcore_thread_id() }
}
