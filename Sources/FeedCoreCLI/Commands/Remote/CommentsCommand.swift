#if Remote
  import ArgumentParser
  import FeedCore
  import JSONStream

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// `feedcore comments`
  struct CommentsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "comments",
      abstract: "Load the comments on an image from their service, and print them.",
      discussion: """
        Comments are never cached. Ends with 69 or 65 if they cannot be loaded.

        EXAMPLES:
          feedcore comments --url https://example.com/comments.json
          feedcore comments --url https://example.com/comments.json --json | jq length
        """)

    @Option(help: ArgumentHelp("The URL of the comments.", valueName: "url"))
    var url: ServiceURL

    @OptionGroup var service: HeaderOptions

    @Flag(help: "Print a JSON array with an object for each comment.")
    var json = false

    func run() throws {
      let url = url.url
      let client = try service.client(for: url)
      Interruption.install()
      let result = AwaitedWork.result {
        try await RemoteFeedLoader<ImageComment>(
          url: url, client: client, statuses: .successful
        ).load()
      }
      let comments: [ImageComment]
      switch result {
      case .success(let loaded): comments = loaded
      case .failure(let error):
        throw Interruption.isRequested ? .interrupted : Failure(any: error)
      }
      let output = Output.standard()
      if json {
        output.write(JSONLine.array(comments.map(line)))
      } else if !comments.isEmpty {
        printTable(comments, to: output)
      }
      try output.finish()
    }

    private func printTable(_ comments: [ImageComment], to output: Output) {
      let now = Date()
      let table = TextTable(
        [("age", .right), ("username", .left), ("message", .left)],
        columns: StandardStreams.columns, output: output)
      for comment in comments {
        table.add([
          ReadableAge.text(seconds: now.timeIntervalSince(comment.createdAt)), comment.username,
          comment.message,
        ])
      }
      table.finish()
    }

    private func line(_ comment: ImageComment) -> JSONLine {
      var author = JSONLine()
      author.add("username", comment.username)
      var line = JSONLine()
      line.add("id", comment.id.uuidString)
      line.add("message", comment.message)
      line.add("created_at", referenceSeconds: comment.createdAt.timeIntervalSinceReferenceDate)
      line.add("author", author)
      return line
    }
  }
#endif
