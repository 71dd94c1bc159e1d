#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A redis-server for one test on the loopback interface. It ends when this object is deinitialized
/// or the process of the tests dies.
package final class RedisServer {
  package let port: Int
  private let directory: String
  private let arguments: [String]
  private var wrapper: RunningCommand?
  /// The end of the pipe whose closing ends the server.
  private var lifeline: CInt = -1
  private var process: pid_t = 0

  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// - Parameter directory: the server's own directory, which must exist
  package init(port: Int, directory: String, arguments: [String]) throws {
    self.port = port
    self.directory = directory
    self.arguments = arguments
    try start()
  }

  deinit { kill() }

  /// Starts the server again with its data directory.
  func start() throws {
    guard wrapper == nil else { return }
    guard let server = Self.path(of: "redis-server") else {
      throw Failure(description: "redis-server is not installed")
    }
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure(description: "pipe: \(errno)") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    lifeline = ends[1]
    unlink(directory + "/pid")
    // The shell reads until this process closes the pipe or dies. A parent death signal (prctl)
    // would arrive at the end of the thread that started the server.
    let script = """
      "$@" >>log 2>&1 </dev/null &
      echo $! >pid.new && mv pid.new pid
      read -r line
      kill -9 $!
      wait
      """
    let words = [
      "-c", "cd \"$0\" && shift 0\n" + script, directory, server, "--port", "\(port)", "--bind",
      "127.0.0.1", "--dir", directory, "--save", "", "--appendonly", "no",
    ]
    wrapper = try RunningCommand(
      "/bin/sh", words + arguments, environment: ["PATH": "/usr/bin:/bin"],
      input: .descriptor(ends[0]), output: .nothing, errors: .nothing)
    process = try Self.number(in: directory + "/pid")
  }

  var isRunning: Bool { wrapper != nil }

  /// Waits until all servers listen. Returns false as soon as a server cannot listen.
  package static func listen(_ servers: [RedisServer]) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end {
      let states = servers.map(\.isListening)
      if states.contains(false) { return false }
      if states.allSatisfy({ $0 == true }) { return true }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw Failure(description: "the servers do not start within 30 s")
  }

  /// Whether the server listens; nil while this is undecided, and false if a port is taken.
  private var isListening: Bool? {
    let log = Self.contents(of: directory + "/log")
    if log.contains("Failed listening") { return false }
    return log.contains("Ready to accept connections") ? true : nil
  }

  /// Sends a signal, such as `SIGSTOP` and `SIGCONT`.
  func send(_ signal: CInt) {
    guard wrapper != nil, process > 0 else { return }
    Self.send(signal, to: process)
  }

  /// Kills the server (`SIGKILL`) and returns when it is gone.
  package func kill() {
    guard let wrapper else { return }
    send(SIGKILL)
    close(lifeline)
    _ = wrapper.wait()
    self.wrapper = nil
    process = 0
  }

  // The method of the same name would hide the function.
  private static func send(_ signal: CInt, to process: pid_t) {
    #if canImport(Glibc)
      _ = Glibc.kill(process, signal)
    #else
      _ = Darwin.kill(process, signal)
    #endif
  }

  /// The process number of the server, which the wrapper writes after starting it.
  private static func number(in path: String) throws -> pid_t {
    for _ in 0..<2_000 {
      if let file = fopen(path, "r") {
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 32)
        if fgets(&line, 32, file) != nil,
          let number = pid_t(
            String(decoding: line.prefix { $0 >= 0x30 }.map { UInt8($0) }, as: UTF8.self))
        {
          return number
        }
      }
      usleep(2_000)
    }
    throw Failure(description: "redis-server does not start")
  }

  /// The text of a file without line feeds at its end; empty if there is none.
  static func contents(of path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
      bytes += chunk[..<count]
    }
    while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The path of a program; nil if it is not installed.
  package static func path(of program: String) -> String? {
    let paths = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return paths.split(separator: ":").lazy.map { "\($0)/\(program)" }
      .first { access($0, X_OK) == 0 }
  }

  /// Ports of the loopback interface that are free now.
  package static func freePorts(_ count: Int) throws -> [Int] {
    var sockets: [CInt] = []
    defer { for descriptor in sockets { close(descriptor) } }
    var ports: [Int] = []
    while ports.count < count {
      #if canImport(Glibc)
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
      #endif
      guard descriptor >= 0 else { throw Failure(description: "socket: \(errno)") }
      sockets.append(descriptor)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      // Both calls take the address of any family.
      let code = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
        }
      }
      guard code == 0 else { throw Failure(description: "bind: \(errno)") }
      ports.append(Int(UInt16(bigEndian: address.sin_port)))
    }
    return ports
  }
}
