import ArgumentParser
import FeedCore

/// `feedcore images get`
struct ImagesGetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Write an image as it was stored.",
    discussion: "Ends with 66 where there is no image of this URL, or it has expired.")

  @Argument(help: ArgumentHelp("The URL of the image.", valueName: "url"))
  var url: String

  @OptionGroup var store: StoreOptions

  @Option(
    help: ArgumentHelp(
      "The file to write, which appears whole or not at all. By default standard output, unless"
        + " that is a terminal.",
      valueName: "file"),
    completion: .file())
  var output: String?

  func run() throws {
    let path = output.flatMap { $0 == "-" ? nil : $0 }
    guard path != nil || !StandardStreams.isOutputTerminal else {
      throw Failure(.usage, "an image is nothing for a terminal; name a file with --output")
    }
    let image = try image()
    guard let path else { return try write(image, to: Output.standard()) }
    if let special = try SpecialFile(path) { return try write(image, to: special.output) }
    let file = try OutputFile(path)
    try write(image, to: file.output)
    try file.publish()
  }

  // A copy: whoever reads the output may be slow, and must not hold a snapshot meanwhile.
  private func image() throws(Failure) -> StoredImage {
    let images = try store.openExistingImages()
    do throws(StoreError) {
      if let image = try images.retrieve(url) { return image }
      throw images.notFound(url)
    } catch {
      throw Failure(error)
    }
  }

  private func write(_ image: StoredImage, to output: Output) throws(Failure) {
    let bytes = image.bytes.span.bytes
    // In pieces, or the output's buffer would be a second copy.
    for start in stride(from: 0, to: bytes.byteCount, by: 64 << 10) where output.isWritable {
      output.write(bytes.extracting(start..<min(start + (64 << 10), bytes.byteCount)))
    }
    try output.finish()
  }
}

extension ImageStore {
  func notFound(_ url: String) -> StoreError {
    StoreError(.notFound, "there is no image of \(url)", path: directory)
  }
}
