import ArgumentParser
import FeedCore
import FeedTools
import JSONStream

/// `feedcore images list`
struct ImagesListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the images of the store, in no particular order.",
    discussion: """
      EXAMPLES:
        feedcore images list
        feedcore images list --json | jq -r '.[].url'
      """)

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print a JSON array with an object for each image.")
  var json = false

  func run() throws {
    let images = try images()
    let output = Output.standard()
    if json { try printArray(images, to: output) } else { try printTable(images, to: output) }
    try output.finish()
  }

  // A store that does not exist yet has no images.
  private func images() throws(Failure) -> ImageStore? {
    do throws(Failure) {
      return try store.openExistingImages()
    } catch  where error.status == .noInput {
      if !json { error.report() }
      return nil
    }
  }

  private func forEach(
    _ images: ImageStore?, _ output: Output, _ body: (ImageDescription) -> Void
  ) throws {
    try images?.forEachImage { image in
      body(image)
      return output.isWritable
    }
  }

  private func printArray(_ images: ImageStore?, to output: Output) throws {
    let now = ImageStore.Options().now()
    var isEmpty = true
    output.write("[")
    try forEach(images, output) { image in
      output.write(isEmpty ? "\n" : ",\n")
      isEmpty = false
      output.write(line(image, now).text)
    }
    output.write(isEmpty ? "]\n" : "\n]\n")
  }

  private func printTable(_ images: ImageStore?, to output: Output) throws {
    guard let images else { return }
    let now = ImageStore.Options().now()
    let table = TextTable(
      [("url", .left), ("bytes", .right), ("type", .left), ("age", .right), ("expires", .right)],
      columns: StandardStreams.columns, output: output)
    try forEach(images, output) { image in
      let metadata = image.metadata
      table.add([
        image.url, ReadableNumber.bytes(image.byteCount), metadata.contentType ?? "",
        metadata.fetchedReferenceSeconds.map { ReadableAge.text(seconds: now - $0) } ?? "",
        expiry(image, now),
      ])
    }
    table.finish()
  }

  private func expiry(_ image: ImageDescription, _ now: Double) -> String {
    guard let seconds = image.metadata.expiryReferenceSeconds else { return "never" }
    return image.isExpired(at: now) ? "expired" : ReadableAge.text(seconds: now - seconds)
  }

  private func line(_ image: ImageDescription, _ now: Double) -> JSONLine {
    let metadata = image.metadata
    let digits = String(image.checksum, radix: 16)
    var line = JSONLine()
    line.add("url", image.url)
    line.add("bytes", image.byteCount)
    line.add("contentType", metadata.contentType)
    line.add("etag", metadata.entityTag)
    line.add("lastModified", metadata.lastModified)
    line.add("fetched", referenceSeconds: metadata.fetchedReferenceSeconds)
    line.add("expires", referenceSeconds: metadata.expiryReferenceSeconds)
    line.add("isExpired", image.isExpired(at: now))
    line.add("checksum", String(repeating: "0", count: 16 - digits.count) + digits)
    return line
  }
}
