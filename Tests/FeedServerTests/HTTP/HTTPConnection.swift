#if Server
  import FeedServer
  import NIOCore
  import NIOPosix

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// A connection on which a test writes any bytes and reads responses.
  final class HTTPConnection {
    struct Closed: Error {}

    private let channel: any Channel

    private init(_ channel: any Channel) { self.channel = channel }

    /// Connects, and closes the connection after the body.
    static func with<Result>(
      _ address: ListenAddress, reading: Bool = true,
      _ body: (HTTPConnection, inout Input) async throws -> Result
    ) async throws -> Result {
      let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .channelOption(.allowRemoteHalfClosure, value: true)
        .channelOption(.autoRead, value: reading)
      let stream: NIOAsyncChannel<ByteBuffer, ByteBuffer>
      switch address {
      case .tcp(let host, let port):
        stream = try await bootstrap.connect(host: host, port: port) { channel in
          channel.eventLoop.makeCompletedFuture {
            try NIOAsyncChannel(wrappingChannelSynchronously: channel)
          }
        }
      case .unix(let path):
        stream = try await bootstrap.connect(unixDomainSocketPath: path) { channel in
          channel.eventLoop.makeCompletedFuture {
            try NIOAsyncChannel(wrappingChannelSynchronously: channel)
          }
        }
      }
      return try await stream.executeThenClose { input, _ in
        var input = Input(input.makeAsyncIterator())
        return try await body(HTTPConnection(stream.channel), &input)
      }
    }

    func send(_ text: String) async throws {
      try await channel.writeAndFlush(ByteBuffer(string: text))
    }

    /// Starts to read, if the connection was opened without reading.
    func startReading() async throws { try await channel.setOption(.autoRead, value: true).get() }

    /// Closes the client's side.
    func closeOutput() async throws { try await channel.close(mode: .output) }

    /// Resets the connection, which the server notices at once. After a half-close it would still
    /// send the response.
    func reset() async throws {
      guard let options = channel as? any SocketOptionProvider else { throw Closed() }
      try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
      try await channel.close()
    }

    /// The received responses.
    struct Input {
      private var chunks: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
      private var bytes: [UInt8] = []

      init(_ chunks: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator) {
        self.chunks = chunks
      }

      /// The next response; nil if the server has closed the connection before it.
      mutating func answer(toHead: Bool = false) async throws -> HTTPResult? {
        while true {
          if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
            let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            bytes.removeFirst(end.upperBound)
            var result = HTTPResult(head: head)
            if !toHead, ![204, 304].contains(result.status) {
              try await readBody(&result)
            }
            return result
          }
          guard try await more() else { return nil }
        }
      }

      /// Waits for input, and returns the number of bytes.
      mutating func piece() async throws -> Int {
        if bytes.isEmpty { _ = try await more() }
        return bytes.count
      }

      /// All input until the server closes the connection.
      mutating func rest() async throws -> [UInt8] {
        while try await more() {}
        return bytes
      }

      private mutating func readBody(_ result: inout HTTPResult) async throws {
        if let length = result["content-length"].flatMap({ Int($0) }) {
          while bytes.count < length {
            guard try await more() else { throw HTTPConnection.Closed() }
          }
          result.body = Array(bytes.prefix(length))
          bytes.removeFirst(length)
        } else if result["transfer-encoding"] == "chunked" {
          while true {
            guard let end = bytes.firstRange(of: [0x0D, 0x0A]) else {
              guard try await more() else { throw HTTPConnection.Closed() }
              continue
            }
            let text = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            guard let count = Int(text, radix: 16) else { throw HTTPConnection.Closed() }
            while bytes.count < end.upperBound + count + 2 {
              guard try await more() else { throw HTTPConnection.Closed() }
            }
            result.body += bytes[end.upperBound..<end.upperBound + count]
            bytes.removeFirst(end.upperBound + count + 2)
            if count == 0 { return }
          }
        } else {
          result.body = try await rest()
          bytes = []
        }
      }

      private mutating func more() async throws -> Bool {
        guard let piece = try await chunks.next(isolation: #isolation) else { return false }
        bytes += piece.readableBytesView
        return true
      }
    }
  }

  /// A response as received.
  struct HTTPResult: Sendable {
    /// The status line and the fields, without the empty line.
    let head: String
    var body: [UInt8] = []

    init(head: String) { self.head = head }

    var status: Int { head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The head without its date.
    var undatedHead: [String] {
      head.split(separator: "\r\n").filter { !$0.lowercased().hasPrefix("date:") }.map(String.init)
    }

    subscript(name: String) -> String? {
      for line in head.split(separator: "\r\n").dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == name else { continue }
        return String(parts[1].drop { $0 == " " })
      }
      return nil
    }
  }
#endif
