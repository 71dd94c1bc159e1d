import ArgumentParser
import FeedCore
import FeedStorage
import JSONStream
import URLEscaping

/// `feedcore images put`
struct ImagesPutCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "put",
    abstract: "Store an image; it replaces one with the same URL.",
    discussion: """
      Other images are removed if the store would otherwise exceed its cap. A file with JSON, XML, \
      HTML, PDF or nothing in it is refused. The type of PNG, JPEG, GIF, WebP, AVIF, SVG, BMP and \
      ICO is recognized.

      EXAMPLES:
        feedcore images put https://example.com/a.png photo.png --expires-in 3600
        feedcore images put https://example.com/b.png - --cap 500MB <photo.png
      """)

  @Argument(help: ArgumentHelp("The URL by which it is found, as a feed has it.", valueName: "url"))
  var url: String

  @Argument(
    help: ArgumentHelp("The file with the image, or - for standard input.", valueName: "file"),
    completion: .file())
  var file: String

  @OptionGroup var store: ChangedStoreOptions

  @Option(help: ArgumentHelp("Its media type, such as image/png.", valueName: "type"))
  var contentType: String?

  @Option(help: ArgumentHelp("The ETag from its server.", valueName: "tag"))
  var etag: String?

  @Option(help: ArgumentHelp("The Last-Modified from its server.", valueName: "date"))
  var lastModified: String?

  @Option(
    help: ArgumentHelp(
      "The seconds after which it expires. By default it stays until a sweep or an eviction, and in a"
        + " cluster for 30 days.",
      valueName: "seconds"))
  var expiresIn: UInt32?

  @Option(
    help: ArgumentHelp(
      "The new cap of all images, such as 500MB. By default the present cap, or 1 GiB.",
      valueName: "bytes"))
  var cap: ByteCount?

  @Flag(help: "Print the result as one JSON object.")
  var json = false

  func validate() throws {
    try GivenPath.refuseEmpty([file], "<file>")
    switch URLShape(of: url) {
    case .absolute, .relative: break
    case .hostless, .invalid: throw ValidationError("'\(url)' is not a URL")
    }
    // Rejects characters that a header field cannot contain (RFC 9110, section 5.5).
    let fields = [
      ("--content-type", contentType), ("--etag", etag), ("--last-modified", lastModified),
    ]
    for (name, value) in fields where (value ?? "").unicodeScalars.contains(where: Self.isControl) {
      throw ValidationError("\(name) takes the value of a header field, without control characters")
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control && scalar != "\t"
  }

  func run() throws {
    // Wrong usage is reported before a wrong file.
    if !store.location.isShared { _ = try store.directory }
    let url = try store.location.imageURL(ofText: url)
    guard case .absolute = URLShape(of: url) else {
      throw Failure(
        .usage,
        "'\(url)' is relative, and no feed of the store comes from a URL; give an absolute URL")
    }
    let options = ImageStore.Options()
    let bytes = try FileContents.read(file, limit: options.imageLimit)
    if case .other(let found) = ImageContent(bytes.span.bytes) {
      throw Failure(
        .badData, "\(FileContents.name(of: file)): it has \(found), which is no image")
    }
    let now = options.now()
    let metadata = ImageMetadata(
      contentType: contentType, entityTag: etag, lastModified: lastModified,
      fetchedReferenceSeconds: now,
      expiryReferenceSeconds: expiresIn.map { now + Double($0) })
    // Checked first, so that no other image is removed for a cap that the image exceeds.
    if let cap { try ImageStore.requireFit(bytes.count, under: cap.bytes) }
    let images = try store.openImages(byteCap: cap?.bytes)
    try images.insert(bytes.span.bytes, for: url, metadata)
    guard json else { return }
    var line = JSONLine()
    line.add("url", url)
    line.add("bytes", bytes.count)
    let output = Output.standard()
    output.write(line)
    try output.finish()
  }
}
