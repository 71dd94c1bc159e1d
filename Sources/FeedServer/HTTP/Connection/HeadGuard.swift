#if Server
  import NIOCore
  import NIOHTTP1

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// Checks the lines of a request's head before the decoder, which is more lenient.
  ///
  /// A line without a carriage return at its end, and a blank after the version, are not valid
  /// (RFC 9112, sections 2.2 and 3): another program on the way may see other requests there. A
  /// later minor version of HTTP/1 is served as HTTP/1.1 (RFC 9110, section 2.5).
  final class HeadGuard: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let maximumLine: Int
    private var scan = HeadScan()
    /// The start of a request's line. It waits here until its version is known.
    private var held: ByteBuffer?
    /// Whether the last request's line began with a method of valid syntax.
    var hasMethod: Bool { scan.hasMethod }

    /// - Parameter maximumLine: the maximum bytes of a request's line. A longer one is passed on
    ///   unchecked, and refused for its length.
    init(maximumLine: Int) { self.maximumLine = maximumLine }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch scan.position {
      case .malformed: return
      case .body: return context.fireChannelRead(data)
      case .requestLine, .fields: break
      }
      var buffer = unwrapInboundIn(data)
      if var whole = held.take() {
        whole.writeBuffer(&buffer)
        buffer = whole
      }
      let result = buffer.withUnsafeReadableBytes { scan.scan($0) }
      for offset in result.laterVersions {
        buffer.setInteger(UInt8(ascii: "1"), at: buffer.readerIndex + offset)
      }
      if let checked = buffer.readSlice(length: result.byteCount), checked.readableBytes > 0 {
        context.fireChannelRead(wrapInboundOut(checked))
      }
      switch scan.position {
      case .malformed: context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
      case .requestLine where buffer.readableBytes > 0:
        held = buffer
        if buffer.readableBytes > maximumLine { release(context) }
      case .requestLine, .fields, .body: break
      }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if case ChannelEvent.inputClosed = event { release(context) }
      context.fireUserInboundEventTriggered(event)
    }

    /// Passes on a line that is too long or never ends.
    private func release(_ context: ChannelHandlerContext) {
      guard let line = held.take() else { return }
      scan.position = .body
      context.fireChannelRead(wrapInboundOut(line))
    }
  }

  /// The position in the requests of a connection, line by line.
  struct HeadScan {
    enum Position {
      /// Before the end of a request's line.
      case requestLine
      case fields
      /// In the body of a request, after which no other is served, or in a line that is not
      /// checked.
      case body
      case malformed
    }

    struct Result {
      /// The bytes before a malformed head or an incomplete request's line.
      var byteCount = 0
      /// The offsets of minor versions above 1.
      var laterVersions: [Int] = []
    }

    /// The bytes of a field that are needed to recognize an empty body.
    private static let keptBytes = 64

    var position = Position.requestLine
    private(set) var hasMethod = false
    private var announcesBody = false
    /// The first bytes of an incomplete field.
    private var start: [UInt8] = []
    private var lastByte: UInt8 = 0

    /// Scans bytes that follow those of the last call, or those from an incomplete request's line
    /// on.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) -> Result {
      var result = Result()
      var offset = 0
      while let end = Self.lineFeed(in: bytes, from: offset) {
        guard (end > 0 ? bytes[end - 1] : lastByte) == UInt8(ascii: "\r") else {
          position = .malformed
          return result
        }
        let line = UnsafeRawBufferPointer(rebasing: bytes[offset..<max(end - 1, offset)])
        switch position {
        case .requestLine:
          // Empty lines before a request are skipped (RFC 9112, section 2.2).
          if !line.isEmpty, !beginRequest(line, at: offset, &result) { return result }
        case .fields: endField(line, isSplit: end == 0)
        case .body, .malformed: break
        }
        offset = end + 1
        lastByte = 0
        if case .requestLine = position { result.byteCount = offset }
        if case .body = position { break }
      }
      switch position {
      case .fields:
        start += bytes[offset...].prefix(max(Self.keptBytes - start.count, 0))
        lastByte = bytes.last ?? lastByte
        result.byteCount = bytes.count
      case .body: result.byteCount = bytes.count
      case .requestLine, .malformed: break
      }
      return result
    }

    private static func lineFeed(in bytes: UnsafeRawBufferPointer, from offset: Int) -> Int? {
      guard offset < bytes.count, let base = bytes.baseAddress,
        let found = memchr(base + offset, 0x0A, bytes.count - offset)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }

    /// - Returns: whether the line may be valid.
    private mutating func beginRequest(
      _ line: UnsafeRawBufferPointer, at offset: Int, _ result: inout Result
    ) -> Bool {
      let method = line.prefix { $0 != UInt8(ascii: " ") }
      hasMethod = !method.isEmpty && method.count < line.count && method.allSatisfy(Self.isToken)
      guard let last = line.last, last != UInt8(ascii: " "), last != UInt8(ascii: "\t") else {
        position = .malformed
        return false
      }
      let version = line.dropLast()
      if last > UInt8(ascii: "1"), last <= UInt8(ascii: "9"),
        version.suffix(8).elementsEqual(" HTTP/1.".utf8)
      {
        result.laterVersions.append(offset + line.count - 1)
      }
      position = .fields
      announcesBody = false
      start.removeAll(keepingCapacity: true)
      return true
    }

    /// - Parameter isSplit: whether the carriage return is the last byte of the start.
    private mutating func endField(_ line: UnsafeRawBufferPointer, isSplit: Bool) {
      if start.isEmpty {
        guard !line.isEmpty else { return endHead() }
        if Self.announcesBody(line) { announcesBody = true }
        return
      }
      if isSplit, start.last == UInt8(ascii: "\r") { start.removeLast() }
      start += line.prefix(max(Self.keptBytes - start.count, 0))
      let isEmpty = start.isEmpty
      if !isEmpty, start.withUnsafeBytes(Self.announcesBody) { announcesBody = true }
      start.removeAll(keepingCapacity: true)
      if isEmpty { endHead() }
    }

    private mutating func endHead() { position = announcesBody ? .body : .requestLine }

    private static func announcesBody(_ field: UnsafeRawBufferPointer) -> Bool {
      guard let first = field.first else { return false }
      switch first | 0x20 {
      case UInt8(ascii: "t"): return hasName(field, "transfer-encoding:")
      case UInt8(ascii: "c"):
        guard hasName(field, "content-length:") else { return false }
        let value = field.dropFirst(15).filter {
          $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t")
        }
        return value != [UInt8(ascii: "0")]
      default: return false
      }
    }

    /// - Parameter lower: lower-case letters and marks that have the bit set which distinguishes
    ///   the cases.
    private static func hasName(_ field: UnsafeRawBufferPointer, _ lower: StaticString) -> Bool {
      let count = lower.utf8CodeUnitCount
      guard field.count >= count else { return false }
      return lower.withUTF8Buffer { lower in
        field.prefix(count).elementsEqual(lower) { $0 | 0x20 == $1 }
      }
    }

    private static func isToken(_ byte: UInt8) -> Bool {
      switch Unicode.Scalar(byte) {
      case "A"..."Z", "a"..."z", "0"..."9", "!", "#", "$", "%", "&", "'", "*", "+", "-", ".", "^",
        "_", "`", "|", "~":
        true
      default: false
      }
    }
  }
#endif
