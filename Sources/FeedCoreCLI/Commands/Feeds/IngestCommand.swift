import ArgumentParser
import FeedCore
import FeedSchema
import FeedTools
import JSONStream

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `feedcore ingest`
struct IngestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ingest",
    abstract: "Read JSON files into one feed and publish it as a whole, or change nothing.",
    discussion: """
      All files become one generation of the feed, which readers see at once. Any JSON is read: \
      arrays, lines, members of an object, values one after another, also deep in a document. If a \
      built-in kind names every key of the first records, the feed is of that kind. Otherwise each \
      record is kept as its text, and the feed is called like the file.

      A schema file of --schema states the key, the indexes, the ids of fields and where the records \
      are. Values that do not fit it are stored, counted and reported. With --strict, or if x-feedcore \
      in the file has "strict": true, the file is a contract: a record that does not fit is an error. \
      A file without "strict" is a contract too if it has "form": "flat" or an "identifier".

      EXAMPLES:
        feedcore ingest universities.json --index country
        # GeoJSON: the records are found at /features, the key is id:
        feedcore ingest earthquakes.geojson
        feedcore ingest dump.json --records /data/users --key email
        curl -s https://example.com/news.json | feedcore ingest - --feed headlines
        # Correct the schema that FeedCore infers, and ingest by it:
        feedcore schema infer dump.json --json > s.json
        feedcore ingest dump.json --schema s.json
        # Add only the records that the feed does not have:
        feedcore ingest universities.ndjson --append
        # Skip bad records, and write them to a file:
        feedcore ingest news.json --skip-bad 1% --rejects bad.ndjson
        feedcore ingest feed.json --json | jq .generation
      """)

  @Argument(
    help: ArgumentHelp(
      "JSON or NDJSON files, also compressed by gzip or zstd; - is standard input.",
      valueName: "file"),
    completion: .file())
  var files: [String]

  @OptionGroup var store: ChangedStoreOptions

  @Option(
    help: ArgumentHelp(
      "The name of the feed. By default its kind, or the name of the file without extensions.",
      valueName: "name"),
    completion: .feedNames)
  var feed: String?

  @Option(
    help: ArgumentHelp(
      "The kind of the records: json keeps any JSON, auto takes a built-in kind if that loses"
        + " nothing.",
      valueName: "kind"))
  var kind = PayloadKind.automatic

  @Option(
    help: ArgumentHelp(
      "A file with the schema of the records, as schema infer and schema show print it.",
      valueName: "file"),
    completion: .file())
  var schema: String?

  @Flag(help: "Take the schema file as a contract, and refuse records that do not fit it.")
  var strict = false

  @Option(
    help: ArgumentHelp(
      "Where the records are, as a JSON Pointer such as /data/users; an empty one means the elements"
        + " of the document. By default they are found.",
      valueName: "pointer"))
  var records: String?

  @Flag(help: "The document is one record.")
  var single = false

  @Option(
    help: ArgumentHelp(
      "The path of the key, such as user.id. May be given several times for a key of several parts."
        + " A comma in double quotes belongs to a path. # is the position, member the key of an object's members. By default a key is chosen.",
      valueName: "path"))
  var key: [String] = []

  @Flag(
    help: ArgumentHelp(
      "Keep the feed's records and add those that it does not have. Records that the input repeats"
        + " are added as often."))
  var append = false

  @Option(
    help: ArgumentHelp(
      "A field to index in addition to the key; show --where uses the index. May be given several "
        + "times. By default those of the replaced feed, if its kind is the same.",
      valueName: "field"))
  var index: [String] = []

  @Option(
    help: ArgumentHelp(
      "Change the feed only if its generation is this one; 0 only if there is no such feed.",
      valueName: "n"))
  var ifGeneration: UInt64?

  @Option(
    help: ArgumentHelp(
      "The number of bad records to skip, or their share, such as 1%.",
      valueName: "n|p%"))
  var skipBad: RejectAllowance?

  @Option(
    help: ArgumentHelp(
      "The file for skipped records (NDJSON), or - for standard output.",
      valueName: "file"),
    completion: .file())
  var rejects: String?

  @Option(
    help: ArgumentHelp(
      "What a power cut may undo: with cache the last commits, but no feed that was reported as "
        + "published; with full nothing.",
      valueName: "durability"))
  var durability = DurabilityChoice.cache

  @Option(
    help: ArgumentHelp("When the payload was current. By default now.", valueName: "iso8601"))
  var timestamp: String?

  @Option(
    help: ArgumentHelp(
      "The maximum size of the store's file while another process reads an old state, such as 2GB. "
        + "By default 1 GiB and four times the bytes in use.",
      valueName: "bytes"))
  var fileLimit: ByteCount?

  @Option(
    help: ArgumentHelp(
      "Wait while another process changes the feed: --wait for as long as it takes, --wait=SECONDS at"
        + " most so long. By default fail at once.",
      valueName: "s"))
  var wait: FeedWaitLimit?

  @Flag(help: "Print no progress and no last line.")
  var quiet = false

  @Flag(help: "Print the result as one JSON object.")
  var json = false

  @OptionGroup(title: "Parsing") var parsing: ParsingOptions

  private var hasDocumentOptions: Bool { records != nil || single || !key.isEmpty }

  func validate() throws {
    if hasDocumentOptions, kind.schema != nil {
      throw ValidationError(
        "--records, --single and --key are for documents; leave out --kind, or use --kind json")
    }
    guard schema == nil || (kind.form == .automatic && !hasDocumentOptions) else {
      throw ValidationError(
        "--schema states the kind, the key and where the records are; leave out --kind, --records,"
          + " --single and --key")
    }
    guard !strict || schema != nil else { throw ValidationError("--strict needs --schema") }
    guard records == nil || !single else {
      throw ValidationError("--records and --single exclude each other")
    }
    try GivenPath.refuseEmpty(files, "<file>")
    try GivenPath.refuseEmpty([rejects], "--rejects")
    try GivenPath.refuseRepeatedInput(files)
    guard rejects == nil || skipBad != nil else {
      throw ValidationError("--rejects needs --skip-bad; without it no record is skipped")
    }
    guard fileLimit?.bytes ?? 1 > 0 else {
      throw ValidationError("--file-limit takes a number of bytes above 0")
    }
  }

  func run() throws {
    MemoryWatch.shareMemory()
    let options = try ingestOptions()
    let rejectsFile = try rejects.map { path throws(Failure) in
      try RejectsFile(path == "-" ? "/dev/stdout" : path, inputs: files)
    }
    Interruption.install()
    var storeOptions = FeedDatabase.Options(durability: durability.durability)
    storeOptions.fileByteLimit = fileLimit?.bytes
    let database = try store.open(making: storeOptions)
    let meter = IngestMeter(totalBytes: totalBytes, isSilent: quiet || json)
    let result = Result { () throws(IngestError) in
      try database.ingest(
        files, options: options,
        isCancelled: { Interruption.isRequested || rejectsFile?.failure != nil },
        onReject: { error, raw in rejectsFile?.add(error, raw: raw) },
        progress: meter.update)
    }
    let measures = meter.finish()
    switch result {
    case .success(let report):
      do throws(Failure) {
        try rejectsFile?.finish()
        try print(
          IngestSummary(
            report: report, measures: measures, givenPaths: options.key + options.indexedFields))
      } catch {
        throw Failure(
          error.status, "\(error.message); the feed \(report.feed.name) was published nevertheless")
      }
    case .failure(let error):
      // An error of the store may mean that the feed is published, or not yet durable.
      if Interruption.isRequested, error.store.map({ $0.code == .cancelled }) ?? true {
        throw Failure(.interrupted, "interrupted; nothing was published")
      }
      if let failure = rejectsFile?.failure { throw failure }
      throw Failure(error)
    }
  }

  private func ingestOptions() throws(Failure) -> IngestOptions {
    var options = IngestOptions()
    if let feed { options.feed = try FeedName(ofNewFeed: feed) }
    options.schema = kind.schema
    options.form = hasDocumentOptions ? .document : kind.form
    if let schema {
      switch try Self.schemaFile(schema, isStrict: strict) {
      case .contract(let contract): options.schema = contract
      case .documents(let stated): (options.stated, options.form) = (stated, .document)
      }
    }
    options.records = records
    options.isSingleRecord = single
    options.key = key.flatMap(QuotedList.paths)
    options.appends = append
    options.indexedFields = index
    options.keepsIndexes = index.isEmpty
    if let ifGeneration {
      options.condition = ifGeneration == 0 ? .absent : .generation(ifGeneration)
    }
    options.allowance = skipBad?.allowance ?? .none
    options.parsing = parsing.options
    options.dates = parsing.dates ?? .strict
    options.waits = wait != nil
    options.waitTimeout = wait?.timeout
    if let timestamp {
      options.referenceSeconds = try Self.referenceSeconds(timestamp)
    }
    return options
  }

  private static func schemaFile(
    _ path: String, isStrict: Bool
  ) throws(Failure) -> SchemaFile {
    let text = try FileContents.read(path, limit: PayloadSchema.maximumTextBytes)
    do throws(SchemaError) {
      return try SchemaFile(text.span.bytes, isStrict: isStrict)
    } catch {
      throw Failure(.usage, "\(path): \(error.message)")
    }
  }

  private static func referenceSeconds(_ timestamp: String) throws(Failure) -> Double {
    let text = Array(timestamp.utf8)
    guard let seconds = DateText.parse(text.span.bytes) else {
      throw Failure(
        .usage, "\(timestamp): is not a date with a time and a zone, such as 2025-05-20T11:24:59Z")
    }
    guard DateText.isInCalendar(text.span.bytes) else {
      throw Failure(.usage, "\(timestamp): the month has no such day")
    }
    return seconds
  }

  /// The total length of all files; nil if any of them is standard input or not a regular file.
  private var totalBytes: Int? {
    var total = 0
    for file in files {
      var status = stat()
      guard file != "-", stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        return nil
      }
      total += Int(status.st_size)
    }
    return total
  }

  private func print(_ summary: IngestSummary) throws(Failure) {
    let output = Output.standard()
    if json {
      output.write(summary.json)
    } else if !quiet {
      output.write(summary.line + "\n")
    }
    try output.finish()
    if !quiet {
      for warning in summary.warnings { StandardStreams.complain("warning: \(warning)") }
    }
  }
}

/// The value of `--skip-bad`: a number of records, or a share of them such as `0.5%`.
struct RejectAllowance: ExpressibleByArgument {
  let allowance: IngestOptions.Allowance

  init?(argument: String) {
    if argument.hasSuffix("%") {
      guard let percent = Double(argument.dropLast()), (0...100).contains(percent) else {
        return nil
      }
      allowance = .percent(percent)
    } else {
      guard let count = Int(argument), count >= 0 else { return nil }
      allowance = count == 0 ? .none : .count(count)
    }
  }
}

/// The value of `--durability`.
enum DurabilityChoice: String, CaseIterable, ExpressibleByArgument {
  case cache
  case full

  var durability: Durability { self == .full ? .full : .cache }
}
