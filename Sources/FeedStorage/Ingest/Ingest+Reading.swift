import FeedRecord
import FeedSchema
import JSONStream
import URLEscaping

extension Ingest {
  /// The results of reading all input, besides the records.
  struct Reading {
    /// The names of the files in errors.
    var names: [String] = []
    var bytes = 0
    var fileBytes = 0
    var envelope: (text: [UInt8], insertion: Int)?
    var oddURLs = OddURLCounts()
    /// For documents: the statistics of all documents that were read.
    var statistics: DocumentStatistics?
    /// The same without the documents that the feed already has.
    var addedStatistics: DocumentStatistics?
    var candidates: [UInt16] = []
    /// The app's contract to which all documents conform.
    var contract: PayloadSchema?
    /// A better location of the records in the file. `occurrence` is the number, from 1, of the
    /// container with the records among several at that location.
    var betterPlan: DocumentPlan?
    var occurrence: Int?
    var otherRecords: IngestReport.OtherRecords?
    /// The plan by which the last document was read.
    var plan: DocumentPlan?
    /// The keys that the contract does not name.
    var otherKeys: [IngestReport.DroppedKey] = []

    /// - Parameters:
    ///   - canReadAgain: whether the input can be read a second time.
    ///   - isGuess: whether the location of the records was found automatically and not given.
    ///   - stored: the location of the records in the feed that is added to.
    mutating func add(
      _ reader: RecordReader, canReadAgain: Bool = false, isGuess: Bool = true,
      after stored: DocumentPlan? = nil
    ) {
      if case .planned(let plan) = reader.documentShape { self.plan = plan }
      let isStoredPlace = stored != nil && plan == stored
      if let better = reader.betterPlan, !isStoredPlace, isGuess || !reader.hasRepeatedRecords {
        if canReadAgain, isGuess {
          betterPlan = better.plan
        } else {
          otherRecords = IngestReport.OtherRecords(
            pointer: better.plan.pointer, bytes: better.bytes)
        }
      } else if canReadAgain, reader.hasRepeatedRecords,
        case .planned(let plan) = reader.documentShape
      {
        betterPlan = plan
        occurrence = reader.recordsOccurrences
      }
      bytes += reader.byteCount
      envelope = reader.envelope ?? envelope
    }

    /// Takes the consumer's results at the end of all input.
    ///
    /// - Parameter dropped: the documents that the feed already has.
    fileprivate mutating func finish(
      _ consumer: PayloadConsumer<Ingest>, without dropped: DroppedDocuments?
    ) throws(JSONError) {
      oddURLs = consumer.oddURLs
      otherKeys = consumer.otherKeys().map { keys in
        IngestReport.DroppedKey(path: keys.path, records: keys.records)
      }
      guard consumer.schema?.document != nil else { return }
      statistics = consumer.statistics()
      addedStatistics =
        if let dropped { try consumer.statistics(without: dropped) } else { statistics }
      candidates = consumer.keyCandidates
      contract = consumer.conformedContract()
    }
  }

  /// Takes the consumer's results at the end of all input.
  func finish(
    _ reading: inout Reading, _ consumer: PayloadConsumer<Ingest>
  ) throws(IngestError) {
    do throws(JSONError) {
      try reading.finish(consumer, without: dropped)
    } catch {
      throw IngestError(error)
    }
  }

  /// Counts the documents that the writer drops because the feed already has them. The statistics
  /// exclude them.
  func countDropped(by writer: GenerationWriter, _ schema: PayloadSchema) {
    guard let text = RecordFormat(schema).text else { return }
    let dropped = DroppedDocuments(options: options.parsing)
    self.dropped = dropped
    let layout = schema.layout
    writer.onDrop = { (record, isWide) throws(StoreError) in
      do throws(RecordError) {
        guard let json = try RecordView(record, layout: layout, isWide: isWide).rawJSON(text)
        else { return }
        do throws(JSONError) {
          try dropped.add(json)
        } catch {
          throw RecordError(.damaged, error.description)
        }
      } catch {
        throw StoreError(error)
      }
    }
  }
}
