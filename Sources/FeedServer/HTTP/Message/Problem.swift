#if Server
  import FeedAPI
  import FeedStorage
  import HTTPTypes
  import JSONStream

  /// Why a request is not answered as it wanted to be, told as RFC 9457 has it.
  struct Problem: Error, Sendable {
    var status: HTTPResponse.Status
    /// What happened and what to do, for a person.
    var detail: String
    var fields: HTTPFields = [:]
    /// Under what it is counted; nil for what is no refusal.
    var refusal: Refusal?
    /// Whether the feed was replaced while the answer was made, so that another try succeeds.
    var isReplacement = false

    init(
      _ status: HTTPResponse.Status, _ detail: String, fields: HTTPFields = [:],
      refusal: Refusal? = nil
    ) {
      self.status = status
      self.detail = detail
      self.fields = fields
      self.refusal = refusal
    }

    /// The answer that tells it.
    var answer: HTTPAnswer {
      var line = JSONLine()
      line.add("type", "about:blank")
      line.add("title", status.reasonPhrase)
      line.add("status", status.code)
      line.add("detail", detail)
      var fields = fields
      fields[.contentType] = "application/problem+json"
      fields[.cacheControl] = fields[.cacheControl] ?? "no-store"
      return HTTPAnswer(status, fields: fields, body: .bytes(line.text + [0x0A]))
    }
  }

  extension Problem {
    static func notFound(_ detail: String) -> Problem { Problem(.notFound, detail) }

    static func parameter(_ name: String, _ rule: String) -> Problem {
      Problem(.badRequest, "the parameter \(name) has to be \(rule)")
    }

    /// Whatever an answer failed with.
    init(_ error: any Error) {
      switch error {
      case let problem as Problem: self = problem
      case let error as StoreError: self.init(error)
      case let error as RemoteError: self.init(error)
      default: self.init(.internalServerError, "the answer could not be made")
      }
    }

    // What a store's errors say beside their messages, such as paths, is not for clients.
    private init(_ error: StoreError) {
      switch error.code {
      case .notFound: self.init(.notFound, error.message)
      case .busy, .replaced, .cancelled:
        self.init(.serviceUnavailable, error.message, fields: [.retryAfter: "1"])
      case .damaged: self.init(.internalServerError, "the store is damaged")
      default: self.init(.internalServerError, "the store cannot be read: \(error.code)")
      }
    }

    /// What the apps tell a customer who is offline, and that the fault is a gateway's.
    private init(_ error: RemoteError) {
      switch error.cause {
      case .transport(let transport) where transport.kind == .timeout:
        self.init(.gatewayTimeout, "Couldn't connect to server")
      case .transport: self.init(.badGateway, "Couldn't connect to server")
      case .status(let code):
        self.init(.badGateway, "Invalid data: the service answered with status \(code)")
      default: self.init(.badGateway, "Invalid data")
      }
    }
  }
#endif
