#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

// The method of the same name would hide the function.
private func closeDescriptor(_ descriptor: CInt) { close(descriptor) }

/// The sockets that a test in its own process inherits from the process of the other tests.
package enum InheritedSockets {
  /// Closes the sockets. While they are open here, no connection of the other tests ends. Call this
  /// first.
  package static func close() {
    for descriptor in 3..<min(getdtablesize(), 1 << 16) {
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { continue }
      closeDescriptor(descriptor)
    }
  }
}
