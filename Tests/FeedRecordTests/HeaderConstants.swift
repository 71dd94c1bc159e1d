@_spi(Ingest) import FeedRecord

/// The constants of `include/feedrecord.h` as the library knows them.
enum HeaderConstants {
  typealias Constant = (name: String, value: Int)

  static let all: [Constant] =
    common + header + indexHeader + types + documents
    + widths

  private static let common: [Constant] = [
    ("FEEDRECORD_VERSION", Int(BlockFormat.version)),
    ("FEEDRECORD_VERSION_DOCUMENT", Int(BlockFormat.documentVersion)),
    ("FEEDRECORD_HEADER_SIZE", BlockFormat.headerByteCount),
    ("FEEDRECORD_TARGET_SIZE", BlockFormat.targetByteCount),
    ("FEEDRECORD_CHECKED_FROM", BlockFormat.checkedFrom),
    ("FEEDRECORD_MAX_FIELDS", RecordLayout.maximumFieldCount),
    ("FEEDRECORD_FIELD_SIZE", BlockFormat.fieldEntryByteCount),
    ("FEEDRECORD_FIELD_ID", BlockFormat.FieldEntry.id),
    ("FEEDRECORD_FIELD_TYPE", BlockFormat.FieldEntry.type),
    ("FEEDRECORD_FIELD_FLAGS", BlockFormat.FieldEntry.flags),
    ("FEEDRECORD_FIELD_OPTIONAL", Int(BlockFormat.optionalField)),
    ("FEEDRECORD_SHORT_MAX", BlockFormat.maximumShortByteCount),
    ("FEEDRECORD_NARROW_MAX", BlockFormat.maximumNarrowByteCount),
    ("FEEDRECORD_BLOCK_WIDE", Int(BlockFormat.wideBlock)),
  ]

  private static let header: [Constant] = [
    ("FEEDRECORD_MAGIC", Int(BlockFormat.magic)),
    ("FEEDRECORD_HEADER_MAGIC", BlockFormat.Header.magic),
    ("FEEDRECORD_HEADER_VERSION", BlockFormat.Header.version),
    ("FEEDRECORD_HEADER_FIELD_COUNT", BlockFormat.Header.fieldCount),
    ("FEEDRECORD_HEADER_CHECKSUM", BlockFormat.Header.checksum),
    ("FEEDRECORD_HEADER_FIRST_ORDINAL", BlockFormat.Header.firstOrdinal),
    ("FEEDRECORD_HEADER_NUMBER", BlockFormat.Header.number),
    ("FEEDRECORD_HEADER_RECORD_COUNT", BlockFormat.Header.recordCount),
    ("FEEDRECORD_HEADER_SCHEMA_ID", BlockFormat.Header.schemaID),
    ("FEEDRECORD_HEADER_FLAGS", BlockFormat.Header.flags),
    ("FEEDRECORD_HEADER_RESERVED", BlockFormat.Header.reserved),
  ]

  private static let indexHeader: [Constant] = [
    ("FEEDRECORD_INDEX_MAGIC", Int(BlockFormat.indexMagic)),
    ("FEEDRECORD_INDEX_VERSION", Int(BlockFormat.indexVersion)),
    ("FEEDRECORD_INDEX_HEADER_MAGIC", BlockFormat.IndexHeader.magic),
    ("FEEDRECORD_INDEX_HEADER_VERSION", BlockFormat.IndexHeader.version),
    ("FEEDRECORD_INDEX_HEADER_FLAGS", BlockFormat.IndexHeader.flags),
    ("FEEDRECORD_INDEX_HEADER_CHECKSUM", BlockFormat.IndexHeader.checksum),
    ("FEEDRECORD_INDEX_HEADER_NUMBER", BlockFormat.IndexHeader.number),
    ("FEEDRECORD_INDEX_HEADER_COUNT", BlockFormat.IndexHeader.count),
    ("FEEDRECORD_INDEX_HEADER_LOWER", BlockFormat.IndexHeader.lower),
    ("FEEDRECORD_INDEX_HEADER_UPPER", BlockFormat.IndexHeader.upper),
    ("FEEDRECORD_INDEX_HAS_LOWER", Int(BlockFormat.indexHasLower)),
    ("FEEDRECORD_INDEX_HAS_UPPER", Int(BlockFormat.indexHasUpper)),
    ("FEEDRECORD_INDEX_PAIR_SIZE", BlockFormat.indexPairByteCount),
    ("FEEDRECORD_INDEX_PAIR_SIZE_V1", BlockFormat.oldIndexPairByteCount),
  ]

  private static let types: [Constant] = [
    ("FEEDRECORD_TYPE_TEXT", Int(FieldType.text.rawValue)),
    ("FEEDRECORD_TYPE_TEXT_LIST", Int(FieldType.textList.rawValue)),
    ("FEEDRECORD_TYPE_JSON", Int(FieldType.json.rawValue)),
    ("FEEDRECORD_TYPE_BOOLEAN", Int(FieldType.boolean.rawValue)),
    ("FEEDRECORD_TYPE_SPAN", Int(FieldType.span.rawValue)),
    ("FEEDRECORD_TYPE_INTEGER", Int(FieldType.integer.rawValue)),
    ("FEEDRECORD_TYPE_NUMBER", Int(FieldType.number.rawValue)),
    ("FEEDRECORD_TYPE_DATE", Int(FieldType.date.rawValue)),
    ("FEEDRECORD_TYPE_UUID", Int(FieldType.uuid.rawValue)),
  ]

  private static let documents: [Constant] = [
    ("FEEDRECORD_SCHEMA_DOCUMENT", Int(SpanFormat.schemaID)),
    ("FEEDRECORD_ID_LAST_SPAN", Int(SpanFormat.lastSpan)),
    ("FEEDRECORD_ID_MEMBER", Int(SpanFormat.member)),
    ("FEEDRECORD_ID_DECODED", Int(SpanFormat.decoded)),
    ("FEEDRECORD_ID_RECORD", Int(SpanFormat.record)),
    ("FEEDRECORD_FAR", SpanFormat.far),
  ]

  private static let widths: [Constant] = [
    ("feedrecord_width(FEEDRECORD_TYPE_TEXT)", 0),
    ("feedrecord_width(FEEDRECORD_TYPE_BOOLEAN)", 1),
    ("feedrecord_width(FEEDRECORD_TYPE_SPAN)", 4),
    ("feedrecord_width(FEEDRECORD_TYPE_DATE)", 8),
    ("feedrecord_width(FEEDRECORD_TYPE_UUID)", 16),
    ("feedrecord_width(0x20)", -1),
  ]
}
