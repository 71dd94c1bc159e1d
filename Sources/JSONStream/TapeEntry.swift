/// One selected value of a record, as a lane wrote it down.
@_spi(Records) public struct TapeEntry: BitwiseCopyable {
  /// What stood there.
  public enum Kind: UInt8, BitwiseCopyable {
    case null, `true`, `false`, number, string
    /// An object or array where the selection does not go further.
    case object, array
    /// The beginning and the end of a list.
    case listStart, listEnd
    /// The beginning of a selected parent object.
    case group
  }

  /// The slot of the path in the selection.
  public let slot: UInt16
  /// What stood there.
  public let kind: Kind
  /// True if the text was unescaped and lies in the lane's arena, not in the chunk.
  @usableFromInline let isInArena: Bool
  /// Bytes of a string or number.
  public let length: UInt32
  /// Where they begin.
  @usableFromInline let offset: UInt32
  /// A byte of the value's token in the chunk: its first, or the one behind its last.
  @usableFromInline let place: UInt32

  init(
    slot: UInt16, kind: Kind, isInArena: Bool, length: UInt32, offset: UInt32, place: UInt32
  ) {
    self.slot = slot
    self.kind = kind
    self.isInArena = isInArena
    self.length = length
    self.offset = offset
    self.place = place
  }

  /// The offset in the chunk of a byte of the value's token.
  var tokenByte: Int {
    let startsThere = kind == .number || (kind == .string && !isInArena)
    return Int(place) - (startsThere ? 0 : 1)
  }
}
