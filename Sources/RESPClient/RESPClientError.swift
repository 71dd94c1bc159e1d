/// An error reply of a server: a code such as `OOM`, and a message.
package struct RESPServerError: Error, Hashable, Sendable {
  package let code: String
  package let message: String

  package init(_ text: String) {
    let end = text.firstIndex(of: " ") ?? text.endIndex
    // A server may quote arguments in its message, so both are short and without control
    // characters.
    code = String(text[..<end].filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(32))
    message = String(
      text[end...].drop { $0 == " " }.unicodeScalars.prefix(200)
        .map { $0.properties.generalCategory == .control ? " " : Character($0) })
  }
}

extension RESPServerError: CustomStringConvertible {
  package var description: String { message.isEmpty ? code : "\(code) \(message)" }
}

/// The reason why a command has no usable reply.
package struct RESPClientError: Error, Hashable, Sendable {
  package enum Cause: Hashable, Sendable {
    /// No connection: refused, unknown host, or TLS failure. Nothing was sent.
    case unreachable(String)
    /// The connection ended before the reply.
    case connectionLost(mayHaveRun: Bool)
    /// No reply within the deadline.
    case timeout(mayHaveRun: Bool)
    /// Several timeouts in succession: nothing is sent to the node for a second.
    case circuitOpen
    /// The bytes are not RESP, or the kind of the reply does not match the command.
    case invalidReply(String)
    /// `NOAUTH`, `WRONGPASS` or `NOPERM`.
    case notPermitted(String)
    /// `OOM`: the memory of the node is full.
    case outOfMemory
    /// `READONLY`, `CLUSTERDOWN`, `LOADING`, `TRYAGAIN`, `MASTERDOWN` or a redirection that did not
    /// end within the deadline.
    case unavailable(RESPServerError)
    /// Any other error reply.
    case server(RESPServerError)
    /// No node is known for the slot, or none replies to the request for the slots.
    case noNode
    case cancelled
    /// The client has been closed.
    case closed
  }

  package let cause: Cause
  package var node: RESPNode?
  package var slot: RESPSlot?
  /// Whether an earlier attempt may have changed data.
  var mayHaveRunBefore = false

  package init(_ cause: Cause, node: RESPNode? = nil, slot: RESPSlot? = nil) {
    self.cause = cause
    self.node = node
    self.slot = slot
  }

  /// Makes the error of an error reply.
  init(_ error: RESPServerError, node: RESPNode) {
    let cause: Cause =
      switch error.code {
      case "OOM": .outOfMemory
      case "NOAUTH", "WRONGPASS", "NOPERM": .notPermitted(error.code)
      case "READONLY", "CLUSTERDOWN", "LOADING", "TRYAGAIN", "MASTERDOWN", "MOVED", "ASK":
        .unavailable(error)
      default: .server(error)
      }
    self.init(cause, node: node)
  }

  /// Whether the command may have changed data although there is no reply.
  package var mayHaveRun: Bool {
    if mayHaveRunBefore { return true }
    return switch cause {
    case .connectionLost(let mayHaveRun), .timeout(let mayHaveRun): mayHaveRun
    case .cancelled, .invalidReply: true
    default: false
    }
  }

  /// Whether the command may succeed when the cluster has recovered.
  package var isTransient: Bool {
    switch cause {
    case .notPermitted, .server, .outOfMemory, .invalidReply, .cancelled, .closed: false
    default: true
    }
  }

  /// What a person can do; nil if the cause says enough.
  package var remedy: String? {
    switch cause {
    case .unreachable, .connectionLost, .timeout, .circuitOpen, .noNode:
      "Check that the node runs and that this host reaches it."
    case .notPermitted: "Check the user and the password of --store-auth, and the ACL of the user."
    case .outOfMemory: "Raise maxmemory, add nodes, or delete feeds."
    case .unavailable(let error) where error.code == "READONLY":
      "Name the primary, or use redis-cluster:// for a cluster."
    case .unavailable(let error) where error.code == "MOVED":
      "The server is part of a cluster: use redis-cluster://."
    case .unavailable: "The cluster is electing, loading or moving slots: try again."
    case .invalidReply: "Check that the address is that of a Redis or Valkey server."
    case .server, .cancelled, .closed: nil
    }
  }
}

extension RESPClientError: CustomStringConvertible {
  package var description: String {
    var text = node.map { "node \($0)" } ?? "the cluster"
    if let slot { text += ", slot \(slot)" }
    text += ": \(cause)"
    if let remedy { text += ". \(remedy)" }
    return text
  }
}

extension RESPClientError.Cause: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unreachable(let reason): "no connection (\(reason))"
    case .connectionLost: "the connection ended before the reply"
    case .timeout: "no reply within the deadline"
    case .circuitOpen: "no reply to several commands, so no more are sent for a moment"
    case .invalidReply(let reason): "an invalid reply: \(reason)"
    case .notPermitted(let code): "not permitted (\(code))"
    case .outOfMemory: "the memory of the node is full (OOM)"
    case .unavailable(let error), .server(let error): "\(error)"
    case .noNode: "no node is known"
    case .cancelled: "cancelled"
    case .closed: "the client is closed"
    }
  }
}
