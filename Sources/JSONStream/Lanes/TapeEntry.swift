/// One selected value of a record, as a lane wrote it down. All zeros is a value that is absent.
@_spi(Records) public struct TapeEntry: BitwiseCopyable {
  /// What stood there.
  public enum Kind: UInt8, BitwiseCopyable {
    /// Nothing.
    case absent
    case null, `true`, `false`, number, string
    /// An array where a list was selected: its elements stand elsewhere on the tape.
    case list
    /// A parent object of selected values.
    case group
    /// An object or array where the selection does not go further.
    case object, array
    /// The key stood there twice, and the reader was told to mind.
    case repeated
  }

  /// What stood there.
  public let kind: Kind
  /// True if the text was unescaped and lies in the lane's arena, not in the chunk.
  @usableFromInline let isInArena: Bool
  /// Bytes of a string or number; elements of a list.
  public let length: UInt32
  /// Where they begin.
  @usableFromInline let offset: UInt32
  /// A byte of the value's token in the chunk: its first, or the one behind its last.
  @usableFromInline let place: UInt32

  @inline(__always)
  init(_ kind: Kind, isInArena: Bool = false, length: Int, offset: Int, place: Int) {
    self.kind = kind
    self.isInArena = isInArena
    // A chunk is no longer than a record may be, which 32 bits can hold.
    self.length = UInt32(truncatingIfNeeded: length)
    self.offset = UInt32(truncatingIfNeeded: offset)
    self.place = UInt32(truncatingIfNeeded: place)
  }

  /// The offset in the chunk of a byte of the value's token. Also orders entries by their place.
  public var tokenByte: Int {
    let startsThere = kind == .number || (kind == .string && !isInArena)
    return Int(place) - (startsThere ? 0 : 1)
  }
}
