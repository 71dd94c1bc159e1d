package import RESPWire

/// The result of decoding bytes that arrive in pieces.
package struct Decoded: Equatable {
  package private(set) var commands: [[[UInt8]]] = []
  package private(set) var error: RESPProtocolError?

  /// - Parameter pieces: the sizes of the pieces, repeated after the last one
  package init(_ bytes: [UInt8], _ limits: RESPLimits = RESPLimits(), pieces: [Int]) {
    var decoder = RESPDecoder(limits: limits)
    var received = 0
    var start = 0
    var turn = 0
    do throws(RESPProtocolError) {
      while received < bytes.count {
        received = min(received + max(pieces[turn % pieces.count], 1), bytes.count)
        turn += 1
        while let length = try decoder.next(bytes.span.extracting(start..<received)) {
          // Decoding would never end if a command had no bytes.
          precondition(length > 0 && start + length <= received, "a command of no length")
          let source = decoder.isInline ? decoder.words[...] : bytes[start..<start + length]
          let command = decoder.arguments.map { argument in
            Array(source.dropFirst(argument.range.lowerBound).prefix(argument.range.count))
          }
          precondition(
            zip(command, decoder.arguments).allSatisfy { $0.count == $1.range.count },
            "an argument lies outside of its command")
          if !command.isEmpty { commands.append(command) }
          start += length
        }
      }
    } catch {
      self.error = error
    }
  }
}

/// Sample commands.
package enum CommandSamples {
  package static let all: [[UInt8]] = [
    "*1\r\n$4\r\nPING\r\n", "*2\r\n$3\r\nGET\r\n$24\r\nfeed:universities:item:ab\r\n",
    "*0\r\n", "*-1\r\n", "PING\r\n", "GET \"a\\x41\\n\" 'b'\n", "\r\n",
    "*3\r\n$4\r\nMGET\r\n$0\r\n\r\n$3\r\n\r\n*\r\n",
    "*6\r\n$4\r\nSCAN\r\n$1\r\n0\r\n$5\r\nMATCH\r\n$4\r\na*b?\r\n$5\r\nCOUNT\r\n$2\r\n10\r\n",
    "*5\r\n$5\r\nHELLO\r\n$1\r\n3\r\n$4\r\nAUTH\r\n$7\r\ndefault\r\n$1\r\nx\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "*1\r\n$-1\r\n", "*2147483648\r\n",
    "*1\r\n$99999999999\r\n",
  ].map { Array($0.utf8) }
}
