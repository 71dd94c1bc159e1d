/// Why a layout was refused, or why bytes could not be read as a block or a record.
public struct RecordError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong; more codes may be added.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The number of the code.
    public let rawValue: UInt8

    /// A code by its number.
    @inlinable
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// The bytes contradict the format.
    public static let damaged = Code(rawValue: 1)
    /// The checksum does not fit: the bytes are damaged, or a whole block lies in the wrong place.
    public static let checksumMismatch = Code(rawValue: 2)
    /// A newer writer made these bytes.
    public static let unsupportedVersion = Code(rawValue: 3)
    /// The field has another type than the one asked for.
    public static let typeMismatch = Code(rawValue: 4)
    /// A text is not UTF-8.
    public static let invalidText = Code(rawValue: 5)
    /// An index is not below the count of records, elements or hashes.
    public static let outOfRange = Code(rawValue: 6)
    /// A layout has too many fields, or two of one id.
    public static let invalidLayout = Code(rawValue: 7)
  }

  /// What kind of failure it is.
  public let code: Code
  /// What was wrong, in a few words.
  public let message: String

  // Out of line, so that the checks around it stay small.
  @inline(never) @usableFromInline
  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
