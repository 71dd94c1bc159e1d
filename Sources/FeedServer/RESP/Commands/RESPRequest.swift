import LMDB
import RESPWire

/// One command where it lies in what was received.
struct RESPRequest: ~Escapable {
  private let bytes: Span<UInt8>
  private let arguments: Span<RESPDecoder.Argument>

  /// - Parameter bytes: what the places of the arguments count in
  @_lifetime(copy bytes, copy arguments)
  init(_ bytes: Span<UInt8>, _ arguments: Span<RESPDecoder.Argument>) {
    self.bytes = bytes
    self.arguments = arguments
  }

  /// The arguments, the name among them.
  var count: Int { arguments.count }

  subscript(index: Int) -> Span<UInt8> {
    @_lifetime(copy self) get { bytes.extracting(arguments[index].range) }
  }

  /// An argument as text; what is not UTF-8 in it is replaced.
  func text(_ index: Int) -> String { String(decoding: copy(index), as: UTF8.self) }

  /// An argument as text in capitals, as which options are compared.
  func word(_ index: Int) -> String { text(index).uppercased() }

  func copy(_ index: Int) -> [UInt8] { [UInt8](copying: self[index].bytes) }

  /// A whole number; nil where an argument is none.
  func integer(_ index: Int) -> Int? { Int(text(index)) }
}
