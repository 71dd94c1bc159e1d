import CFeedScan
@_spi(Records) import JSONStream

/// A fixed-width value of a record.
enum FixedValue {
  /// An integer, or the bits of a number or date.
  case word(UInt64)
  case boolean(Bool)
  case uuid(high: UInt64, low: UInt64)

  /// Converts a token to a value of a field's kind; nil if it is none.
  init?(_ kind: PayloadSchema.Kind, _ entry: TapeEntry, _ tape: borrowing RecordTape) {
    switch (kind, entry.kind) {
    case (.uuid, .string):
      guard let uuid = UUIDText.parse(tape.bytes(of: entry)) else { return nil }
      self = .uuid(high: uuid.high, low: uuid.low)
    case (.date, .string):
      guard let seconds = DateText.parse(tape.bytes(of: entry)) else { return nil }
      self = .word(seconds.bitPattern)
    case (.integer, .number):
      guard let value = NumberText.integer(tape.bytes(of: entry)) else { return nil }
      self = .word(UInt64(bitPattern: value))
    case (.number, .number):
      guard let value = NumberText.number(tape.bytes(of: entry)) else { return nil }
      self = .word(value.bitPattern)
    case (.boolean, .true): self = .boolean(true)
    case (.boolean, .false): self = .boolean(false)
    default: return nil
    }
  }
}
