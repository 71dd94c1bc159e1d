#if Server
  import FeedAPI
  import FeedStorage
  import HTTPTypes
  import Hummingbird
  import JSONStream

  /// Why a request failed, in the form of RFC 9457.
  struct Problem: Error, Sendable {
    var status: HTTPResponse.Status
    /// A description for a person: what happened and what to do.
    var detail: String
    var fields: HTTPFields = [:]
    /// The refusal that it counts as; nil if it is not one.
    var refusal: Refusal?

    init(
      _ status: HTTPResponse.Status, _ detail: String, fields: HTTPFields = [:],
      refusal: Refusal? = nil
    ) {
      self.status = status
      self.detail = detail
      self.fields = fields
      self.refusal = refusal
    }

    /// The response with this problem.
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
      Problem(.badRequest, "the parameter \(name) must be \(rule)")
    }

    /// The problem for any error.
    init(_ error: any Error) {
      switch error {
      case let problem as Problem: self = problem
      case let error as StoreError: self.init(error)
      case let error as RemoteError: self.init(error)
      case let error as HTTPError: self.init(error.status, error.body ?? "there is nothing here")
      default: self.init(.internalServerError, "the response could not be made")
      }
    }

    // Clients do not receive the other details of a store's error, such as paths.
    private init(_ error: StoreError) {
      switch error.code {
      case .notFound: self.init(.notFound, error.message)
      case .busy, .replaced, .cancelled:
        self.init(.serviceUnavailable, error.message, fields: [.retryAfter: "1"])
      case .unreachable:
        self.init(
          .serviceUnavailable, "the shared store does not reply", fields: [.retryAfter: "1"])
      case .damaged: self.init(.internalServerError, "the store is damaged")
      case .diskFull:
        // RFC 4918, section 11.5.
        self.init(
          HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
          "the feed cannot be stored, because the disk or the store is full")
      default: self.init(.internalServerError, "the store cannot be read: \(error.code)")
      }
    }

    /// The apps' message for a customer who is offline, with the status of a failed gateway.
    private init(_ error: RemoteError) {
      switch error.cause {
      case .transport(let transport) where transport.kind == .timeout:
        self.init(.gatewayTimeout, "Couldn't connect to server")
      case .transport: self.init(.badGateway, "Couldn't connect to server")
      case .status(let code):
        let message = error.serviceMessage.map { ": \($0)" } ?? ""
        self.init(.badGateway, "Invalid data: the service answered with status \(code)\(message)")
      case .payload(let payload) where payload.kind == .failedAnswer:
        self.init(.badGateway, "Invalid data: \(payload.reason)")
      default: self.init(.badGateway, "Invalid data")
      }
    }
  }
#endif
