#if Server
  import FeedPayloads
  import FeedRecord
  import FeedStorage

  /// Which records of a feed are wanted: those that fit every one of its rules.
  struct RecordFilter: Sendable {
    private struct Rule: Sendable {
      let fields: [FieldLocation]
      let search: TextSearch
      let isWhole: Bool
    }

    private let schema: PayloadSchema
    private var rules: [Rule] = []

    init(_ schema: PayloadSchema) { self.schema = schema }

    /// Whether every record is wanted.
    var isEmpty: Bool { rules.isEmpty }

    /// A text is to be part of a field, or of one of several; no text is no rule.
    mutating func require(_ fields: String..., contain text: String?) {
      add(fields, text, isWhole: false)
    }

    /// A field is to be a text, whatever the case.
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
