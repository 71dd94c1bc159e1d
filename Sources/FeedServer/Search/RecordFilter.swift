#if Server
  import FeedSchema
  import FeedRecord
  import FeedStorage

  /// A filter for records of a feed: a record matches if every rule holds.
  struct RecordFilter: Sendable {
    private struct Rule: Sendable {
      let fields: [FieldLocation]
      let search: TextSearch
      let isWhole: Bool
    }

    private let schema: PayloadSchema
    private var rules: [Rule] = []

    init(_ schema: PayloadSchema) { self.schema = schema }

    /// Whether every record matches.
    var isEmpty: Bool { rules.isEmpty }

    /// Requires a text to be part of a field, or of one of several. Without a text there is no
    /// rule.
    mutating func require(_ fields: String..., contain text: String?) {
      add(fields, text, isWhole: false)
    }

    /// Requires a field to equal a text, ignoring case.
    mutating func require(_ field: String, equal text: String?) {
      add([field], text, isWhole: true)
    }

    private mutating func add(_ names: [String], _ text: String?, isWhole: Bool) {
      guard let text else { return }
      let fields = names.compactMap { name in
        schema.field(named: name).flatMap { schema.layout.location(of: $0.id) }
      }
      rules.append(Rule(fields: fields, search: TextSearch(text), isWhole: isWhole))
    }

    /// - Throws: `damaged`; `cancelled`
    func fits(_ record: borrowing RecordView) throws(StoreError) -> Bool {
      for rule in rules where try !fits(record, rule) { return false }
      return true
    }

    private func fits(
      _ record: borrowing RecordView, _ rule: Rule
    ) throws(StoreError) -> Bool {
      for field in rule.fields {
        guard let text = try text(field, record) else { continue }
        let search = rule.search
        if try rule.isWhole ? search.isWhole(text) : search.isPart(of: text) { return true }
      }
      return false
    }

    @_lifetime(copy record)
    private func text(
      _ field: FieldLocation, _ record: borrowing RecordView
    ) throws(StoreError) -> RawSpan? {
      do throws(RecordError) {
        return try record.rawText(field)
      } catch {
        throw StoreError(.damaged, "a record is damaged", cause: error)
      }
    }
  }
#endif
