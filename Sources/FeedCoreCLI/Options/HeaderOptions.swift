#if Remote
  import ArgumentParser
  import FeedCore

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// `--header`: header fields for each request to a service.
  struct HeaderOptions: ParsableArguments {
    private static let fileLimit = 64 << 10

    @Option(
      name: [.customShort("H"), .customLong("header")],
      help: ArgumentHelp(
        "A header field for each request to the service, such as a key. May be given several times.",
        discussion: "@FILE stands for the lines of a file, and @- for those of standard input. Use"
          + " them for secrets, because other users can see a command line. The fields are sent"
          + " only to the origin of the URL.",
        valueName: "name: value|@file"))
    var header: [String] = []

    /// A client that sends the fields to the service.
    ///
    /// - Throws: exit status 64 for an invalid header field, without repeating it, since it may be
    ///   a key; as `FileContents` for a file
    func client(
      for service: URL, _ options: AsyncHTTPTransport.Options = .init()
    ) throws(Failure) -> any FeedHTTPClient {
      let transport = AsyncHTTPTransport(options)
      if header.isEmpty { return transport }
      return AuthenticatedHTTPClient(transport, adding: try fields(), to: service)
    }

    /// - Throws: the same as ``client(for:)``, for a command that makes no requests.
    func verify() throws(Failure) { _ = try fields() }

    private func fields() throws(Failure) -> FeedHTTPFields {
      var fields = FeedHTTPFields()
      for argument in header {
        if argument.hasPrefix("@") {
          try addLines(of: String(argument.dropFirst()), to: &fields)
        } else {
          try add(argument, at: "--header", to: &fields)
        }
      }
      return fields
    }

    private func addLines(of path: String, to fields: inout FeedHTTPFields) throws(Failure) {
      guard !path.isEmpty else { throw Failure(.usage, "--header: the path after @ is empty") }
      let text = String(
        decoding: try FileContents.read(path, limit: Self.fileLimit), as: UTF8.self)
      let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
      for (index, line) in lines.enumerated() where !line.isEmpty {
        try add(line, at: "\(FileContents.name(of: path)):\(index + 1)", to: &fields)
      }
    }

    private func add(
      _ line: some StringProtocol, at location: String, to fields: inout FeedHTTPFields
    ) throws(Failure) {
      guard let field = FeedHTTPFields.Field(line: line) else {
        throw Failure(.usage, "\(location): write a header field as NAME: VALUE")
      }
      fields.add(field.name, field.value)
    }
  }
#endif
