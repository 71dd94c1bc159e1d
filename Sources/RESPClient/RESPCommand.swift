#if Cluster
  import NIOCore

  /// A command as it is sent: a name and arguments.
  ///
  /// The arguments are encoded as they are appended, so that a value is copied once.
  package struct RESPCommand: Sendable {
    /// Where a command may run.
    package enum Access: Sendable {
      /// A primary, or a replica with `read=replica`.
      case read
      /// A primary.
      case readPrimary
      /// A primary, which a barrier must confirm.
      case write
    }

    package let access: Access
    /// Whether a second run changes nothing, so that the client may send it again when a connection
    /// is lost before the reply. True for reads.
    package var isRepeatable: Bool
    /// The bytes that the reply probably has. They count as bytes in flight.
    package var expectedReplyBytes = 0
    /// The time that the command may take on the server, in addition to the deadline.
    package var blockingTime = Duration.zero
    /// The slot of its first key; nil if it has none, so that any primary takes it.
    package private(set) var slot: RESPSlot?
    private(set) var buffer: ByteBuffer
    /// The number of arguments that must still be appended.
    private(set) var missingArguments: Int

    /// Starts a command. As many arguments as stated must be appended.
    ///
    /// - Parameters:
    ///   - argumentCount: the number of arguments after the name
    ///   - byteCount: about the number of their bytes
    package init(
      _ name: StaticString, argumentCount: Int, byteCount: Int = 0, access: Access = .write,
      isRepeatable: Bool = false
    ) {
      self.access = access
      missingArguments = argumentCount
      self.isRepeatable = isRepeatable || access != .write
      buffer = ByteBufferAllocator().buffer(capacity: byteCount + 16 * argumentCount + 64)
      header("*", argumentCount + 1)
      header("$", name.utf8CodeUnitCount)
      buffer.writeStaticString(name)
      end()
    }

    /// Makes a command with a key and arguments after it.
    package init(
      _ name: StaticString, _ key: RESPKey, _ arguments: RESPArgument..., access: Access = .write,
      isRepeatable: Bool = false
    ) {
      self.init(
        name, argumentCount: arguments.count + 1, access: access, isRepeatable: isRepeatable)
      append(key)
      for argument in arguments { append(argument) }
    }

    /// Makes a command without a key.
    package init(
      _ name: StaticString, _ arguments: [RESPArgument], access: Access = .readPrimary,
      isRepeatable: Bool = false
    ) {
      self.init(name, argumentCount: arguments.count, access: access, isRepeatable: isRepeatable)
      for argument in arguments { append(argument) }
    }

    /// Appends a key. The first one decides on the slot.
    package mutating func append(_ key: RESPKey) {
      if slot == nil { slot = key.slot }
      append(bytes: key.bytes.span.bytes)
    }

    package mutating func append(_ argument: RESPArgument) {
      switch argument {
      case .text(let text):
        missingArguments -= 1
        header("$", text.utf8.count)
        buffer.writeString(text)
        end()
      case .integer(let value): append(.text(String(value)))
      case .bytes(let bytes): append(bytes: bytes.span.bytes)
      }
    }

    /// Appends an argument of any bytes, which are copied.
    package mutating func append(bytes: RawSpan) {
      missingArguments -= 1
      header("$", bytes.byteCount)
      buffer.writeBytes(bytes)
      end()
    }

    private mutating func header(_ type: StaticString, _ count: Int) {
      buffer.writeStaticString(type)
      buffer.writeString(String(count))
      end()
    }

    private mutating func end() { buffer.writeStaticString("\r\n") }
  }

  /// An argument of a command.
  package enum RESPArgument: Sendable {
    case text(String)
    case integer(Int)
    case bytes([UInt8])
  }

  extension RESPArgument: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    package init(stringLiteral text: String) { self = .text(text) }
    package init(integerLiteral value: Int) { self = .integer(value) }
  }
#endif
