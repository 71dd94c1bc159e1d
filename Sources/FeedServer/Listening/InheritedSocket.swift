#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A listening socket that the process inherited.
package struct InheritedSocket: Sendable, Hashable {
  /// Its name, given by the process that opened it.
  package let name: String
  package let descriptor: CInt
  /// The address at which it listens; nil if it is not a listening socket.
  package let address: ListenAddress?

  init(_ descriptor: CInt, name: String) {
    self.name = name
    self.descriptor = descriptor
    address = Self.address(of: descriptor)
  }

  private static func address(of descriptor: CInt) -> ListenAddress? {
    var isListening: CInt = 0
    var size = socklen_t(MemoryLayout<CInt>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0,
      isListening != 0
    else { return nil }
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard getsockname(descriptor, address, &length) == 0 else { return nil }
        if isUnix(UnsafeRawPointer(address)) {
          return .unix(path: path(UnsafeRawBufferPointer(start: address, count: Int(length))))
        }
        return hostAndPort(address, length)
      }
    }
  }

  /// Reads the family as a `sockaddr_un` has it. In a whole-module build the compiler takes
  /// `sockaddr.sa_family` for a member of a module inside NIO, which cannot be imported.
  ///
  /// - Parameter address: a `sockaddr_storage`, which has room for a `sockaddr_un`.
  private static func isUnix(_ address: UnsafeRawPointer) -> Bool {
    CInt(address.loadUnaligned(as: sockaddr_un.self).sun_family) == AF_UNIX
  }

  /// - Parameter address: a `sockaddr_un` of the reported length.
  private static func path(_ address: UnsafeRawBufferPointer) -> String {
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    let bytes = address.dropFirst(start)
    // An abstract name begins with a zero byte.
    if bytes.first == 0 { return "@" + String(decoding: bytes.dropFirst(), as: UTF8.self) }
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  private static func hostAndPort(
    _ address: UnsafePointer<sockaddr>, _ length: socklen_t
  ) -> ListenAddress? {
    var host = [CChar](repeating: 0, count: 128)
    var port = [CChar](repeating: 0, count: 16)
    let status = getnameinfo(
      address, length, &host, socklen_t(host.count), &port, socklen_t(port.count),
      NI_NUMERICHOST | NI_NUMERICSERV)
    guard status == 0, let number = Int(text(port)) else { return nil }
    return .tcp(host: text(host), port: number)
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
