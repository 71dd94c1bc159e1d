/// The reason why a layout was rejected, or why bytes could not be read as a block or a record.
public struct RecordError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure; more codes may be added.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The number of the code.
    public let rawValue: UInt8

    /// A code by its number.
    @inlinable
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// The bytes violate the format.
    public static let damaged = Code(rawValue: 1)
    /// The checksum does not match: the bytes are damaged, or the block belongs to another
    /// position.
    public static let checksumMismatch = Code(rawValue: 2)
    /// A newer version wrote these bytes.
    public static let unsupportedVersion = Code(rawValue: 3)
    /// The field has another type than the one asked for.
    public static let typeMismatch = Code(rawValue: 4)
    /// A text is not UTF-8.
    public static let invalidText = Code(rawValue: 5)
    /// An index is not below the count of records, elements or hashes.
    public static let outOfRange = Code(rawValue: 6)
    /// A layout has too many fields, or two with the same id.
    public static let invalidLayout = Code(rawValue: 7)
  }

  /// The kind of failure.
  public let code: Code
  /// A short description of the failure.
  public let message: String

  // Not inlined, so that the checks around it stay small.
  @inline(never) @usableFromInline
  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
