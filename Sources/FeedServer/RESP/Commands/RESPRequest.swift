import LMDB
import RESPWire

/// One command within the received bytes.
struct RESPRequest: ~Escapable {
  private let bytes: Span<UInt8>
  private let arguments: Span<RESPDecoder.Argument>

  /// - Parameter bytes: the bytes that the arguments' offsets refer to
  @_lifetime(copy bytes, copy arguments)
  init(_ bytes: Span<UInt8>, _ arguments: Span<RESPDecoder.Argument>) {
    self.bytes = bytes
    self.arguments = arguments
  }

  /// The number of arguments, including the name.
  var count: Int { arguments.count }

  subscript(index: Int) -> Span<UInt8> {
    @_lifetime(copy self) get { bytes.extracting(arguments[index].range) }
  }

  /// An argument as text; invalid UTF-8 is replaced.
  func text(_ index: Int) -> String { String(decoding: copy(index), as: UTF8.self) }

  /// An argument in upper case, for the comparison of options.
  func word(_ index: Int) -> String { text(index).uppercased() }

  func copy(_ index: Int) -> [UInt8] { [UInt8](copying: self[index].bytes) }

  /// An integer; nil if the argument is not one.
  func integer(_ index: Int) -> Int? { Int(text(index)) }
}

/// The outcome of a command.
enum RESPOutcome: Hashable {
  case answered
  /// The response is incomplete and continues when there is room or time.
  case unfinished
  /// It was the client's last command.
  case close
  /// The client is disconnected.
  case refuse(Refusal)
}

/// The progress of a response to several keys or with a large image.
struct RESPProgress {
  /// The index of the next argument.
  var index = 1
  /// The count so far.
  var sum = 0
  /// The image that is being sent.
  var image: ImageTransfer?
  /// The count of all keys.
  var keys: KeyCount?
}
