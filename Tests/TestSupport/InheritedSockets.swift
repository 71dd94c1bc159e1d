#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

// The method of the same name would hide it.
private func closeDescriptor(_ descriptor: CInt) { close(descriptor) }

/// The sockets that a test in a process of its own has from the process of the other tests, most of
/// whose descriptors it gets.
package enum InheritedSockets {
  /// Closes them: while they are open here, no connection of the other tests ends, whatever they do.
  /// To be called before anything else.
  package static func close() {
    for descriptor in 3..<min(getdtablesize(), 1 << 16) {
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { continue }
      closeDescriptor(descriptor)
    }
  }
}
