import NIOCore

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

/// systemd, or another service manager with its protocols.
package enum ServiceManager {
  /// The listening sockets that the process inherited, with their names (sd_listen_fds(3)).
  ///
  /// - Parameter environment: that of the process.
  package static func sockets(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> [InheritedSocket] {
    guard environment["LISTEN_PID"] == "\(getpid())",
      let count = environment["LISTEN_FDS"].flatMap({ CInt($0) }), (1...64).contains(count)
    else { return [] }
    let names = (environment["LISTEN_FDNAMES"] ?? "")
      .split(separator: ":", omittingEmptySubsequences: false).map { String($0) }
    return (0..<count).map { number in
      let descriptor = 3 + number
      // The socket is for this process and not for its children.
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      let name = names.indices.contains(Int(number)) ? names[Int(number)] : ""
      return InheritedSocket(descriptor, name: name)
    }
  }

  /// Notifies the service manager that the configuration is read again (`Type=notify-reload`).
  static func notifyReloading() {
    // NIO reads CLOCK_MONOTONIC, which is the clock that systemd expects.
    let time = NIODeadline.now().uptimeNanoseconds / 1_000
    notify("RELOADING=1\nMONOTONIC_USEC=\(time)")
  }

  /// Notifies the service manager of a state such as `READY=1` (sd_notify(3)). Without a service
  /// manager it does nothing.
  static func notify(
    _ state: String, _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@")
    else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    // An abstract name begins with a zero byte.
    if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    #if canImport(Glibc)
      let kind = CInt(SOCK_DGRAM.rawValue)
    #else
      let kind = SOCK_DGRAM
    #endif
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let length = (MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + bytes.count
    let text = Array(state.utf8)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(descriptor, text, text.count, 0, $0, socklen_t(length))
      }
    }
  }
}
