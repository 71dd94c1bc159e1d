package import FeedStorage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The file of a Unix socket that a server listens at.
package enum UnixSocketFile {
  /// Removes the socket's file if no process listens at it.
  ///
  /// - Throws: `busy` if a process does; `misuse` if the path is too long or is not a socket
  package static func prepare(_ path: String) throws(StoreError) {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return }
    guard attributes[.type] as? FileAttributeType == .typeSocket else {
      throw StoreError(
        .misuse, "the file is not a socket and is not removed; choose another path", path: path)
    }
    guard try !isAlive(path) else {
      throw StoreError(
        .busy, "another process listens at this socket; end it, or choose another path", path: path)
    }
    unlink(path)
  }

  /// Removes the socket's file. The listening process calls it before it stops listening.
  package static func remove(_ path: String) { unlink(path) }

  /// Sets the group and the permissions of a socket's file.
  ///
  /// - Returns: the number of the error; nil if there was none
  static func set(_ permissions: SocketPermissions, of path: String) -> CInt? {
    // The group first: until then its members may not have the permissions.
    if let group = permissions.group, chown(path, uid_t.max, group) != 0 { return errno }
    if let mode = permissions.mode, chmod(path, mode_t(mode)) != 0 { return errno }
    return nil
  }

  private static func isAlive(_ path: String) throws(StoreError) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw StoreError(
        .misuse, "the path is too long for a socket; use at most about 100 bytes", path: path)
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    #if canImport(Glibc)
      let kind = CInt(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return result == 0 || errno != ECONNREFUSED
  }
}
