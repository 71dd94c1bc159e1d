/// The supported commands, with their descriptions for `COMMAND`.
enum RESPCommand: Int, CaseIterable, Sendable {
  case get, mget, exists, ttl, pttl, expiretime, pexpiretime, type, strlen, getrange, scan
  case ping, echo, hello, auth, select, quit, reset, client
  case multi, exec, discard, watch, unwatch
  case command, config, info, time, dbsize
  /// A command of Redis that would write.
  case write
  case unknown

  /// The command groups of Redis' documentation.
  enum Group: String {
    case generic, string, connection, server, transactions
  }

  /// The description of a command for clients.
  struct Description {
    /// The number of its arguments including the name; a negative number states the minimum.
    let arity: Int
    let group: Group
    /// The positions of its keys: the first, the last (from the end if negative), and the step.
    let keys: (first: Int, last: Int, step: Int)
    /// The first version of Redis with it.
    let since: String
    let summary: String
  }

  /// Its name in lower case.
  var name: String { String(describing: self) }

  /// The commands that clients can list.
  static var listed: [RESPCommand] { allCases.filter { $0 != .write && $0 != .unknown } }

  /// Whether clients may use it before authentication.
  var isOpen: Bool { self == .hello || self == .auth || self == .quit || self == .reset }

  var description: Description {
    func string(_ arity: Int, _ last: Int, _ since: String, _ summary: String) -> Description {
      Description(
        arity: arity, group: .string, keys: (1, last, 1), since: since, summary: summary)
    }
    func generic(_ arity: Int, _ last: Int, _ since: String, _ summary: String) -> Description {
      Description(
        arity: arity, group: .generic, keys: (last == 0 ? 0 : 1, last, last == 0 ? 0 : 1),
        since: since, summary: summary)
    }
    func other(_ group: Group, _ arity: Int, _ since: String, _ summary: String) -> Description {
      Description(
        arity: arity, group: group, keys: (0, 0, 0), since: since, summary: summary)
    }
    switch self {
    case .get: return string(2, 1, "1.0.0", "Get the value of a key")
    case .mget: return string(-2, -1, "1.0.0", "Get the values of all the given keys")
    case .strlen: return string(2, 1, "2.2.0", "Get the length of the value stored in a key")
    case .getrange:
      return string(4, 1, "2.4.0", "Get a substring of the string stored at a key")
    case .exists: return generic(-2, -1, "1.0.0", "Determine if a key exists")
    case .ttl: return generic(2, 1, "1.0.0", "Get the time to live for a key in seconds")
    case .pttl: return generic(2, 1, "2.6.0", "Get the time to live for a key in milliseconds")
    case .expiretime:
      return generic(2, 1, "7.0.0", "Get the expiration Unix timestamp for a key")
    case .pexpiretime:
      return generic(
        2, 1, "7.0.0", "Get the expiration Unix timestamp for a key in milliseconds")
    case .type: return generic(2, 1, "1.0.0", "Determine the type stored at key")
    case .scan: return generic(-2, 0, "2.8.0", "Incrementally iterate the keys space")
    case .ping: return other(.connection, -1, "1.0.0", "Ping the server")
    case .echo: return other(.connection, 2, "1.0.0", "Echo the given string")
    case .hello: return other(.connection, -1, "6.0.0", "Handshake with Redis")
    case .auth: return other(.connection, -2, "1.0.0", "Authenticate to the server")
    case .select:
      return other(.connection, 2, "1.0.0", "Change the selected database for the connection")
    case .quit: return other(.connection, -1, "1.0.0", "Close the connection")
    case .reset: return other(.connection, 1, "6.2.0", "Reset the connection")
    case .client:
      return other(.connection, -2, "2.4.0", "A container for client connection commands")
    case .multi: return other(.transactions, 1, "1.2.0", "Mark the start of a transaction block")
    case .exec:
      return other(.transactions, 1, "1.2.0", "Execute all commands issued after MULTI")
    case .discard:
      return other(.transactions, 1, "2.0.0", "Discard all commands issued after MULTI")
    case .watch:
      return Description(
        arity: -2, group: .transactions, keys: (1, -1, 1), since: "2.2.0",
        summary: "Watch the given keys to determine execution of the MULTI/EXEC block")
    case .unwatch:
      return other(.transactions, 1, "2.2.0", "Forget about all watched keys")
    case .command: return other(.server, -1, "2.8.13", "Get array of Redis command details")
    case .config:
      return other(.server, -2, "2.0.0", "A container for server configuration commands")
    case .info:
      return other(.server, -1, "1.0.0", "Get information and statistics about the server")
    case .time: return other(.server, 1, "2.6.0", "Return the current server time")
    case .dbsize: return other(.server, 1, "1.0.0", "Return the number of keys")
    case .write, .unknown: return other(.generic, -1, "", "")
    }
  }

  /// The flags in Redis' notation.
  var flags: [String] {
    switch self {
    case .get, .strlen, .exists, .ttl, .pttl, .expiretime, .pexpiretime, .type, .mget:
      ["readonly", "fast"]
    case .getrange, .scan: ["readonly"]
    case .hello, .auth, .quit, .reset: ["noscript", "loading", "stale", "fast", "no_auth"]
    case .ping, .echo, .select, .time, .dbsize: ["loading", "stale", "fast"]
    case .client, .command, .config, .info: ["loading", "stale"]
    case .multi, .discard, .watch, .unwatch: ["noscript", "loading", "stale", "fast"]
    case .exec: ["noscript", "loading", "stale", "skip_slowlog"]
    case .write, .unknown: []
    }
  }

  var categories: [String] {
    var categories: [String] = []
    switch description.group {
    case .generic: categories = ["@keyspace", "@read"]
    case .string: categories = ["@read", "@string"]
    case .connection: categories = ["@connection"]
    case .server: categories = ["@slow"]
    case .transactions: categories = self == .exec ? ["@slow", "@transaction"] : ["@transaction"]
    }
    if flags.contains("fast") { categories.append("@fast") }
    return categories
  }
}

extension RESPCommand {
  /// An argument in the form of `COMMAND DOCS`.
  struct Argument {
    let name: String
    /// The type, such as `key`, `string` or `integer`.
    let type: String
    /// The keyword before it.
    var token: String?
    var isOptional = false
    var isMultiple = false

    var flags: [String] {
      (isOptional ? ["optional"] : []) + (isMultiple ? ["multiple"] : [])
    }
  }

  /// The arguments of the command.
  var arguments: [Argument] {
    let key = Argument(name: "key", type: "key")
    switch self {
    case .get, .ttl, .pttl, .expiretime, .pexpiretime, .type, .strlen: return [key]
    case .mget, .exists, .watch: return [Argument(name: "key", type: "key", isMultiple: true)]
    case .getrange:
      return [
        key, Argument(name: "start", type: "integer"), Argument(name: "end", type: "integer"),
      ]
    case .scan:
      return [
        Argument(name: "cursor", type: "integer"),
        Argument(name: "pattern", type: "pattern", token: "MATCH", isOptional: true),
        Argument(name: "count", type: "integer", token: "COUNT", isOptional: true),
        Argument(name: "type", type: "string", token: "TYPE", isOptional: true),
      ]
    case .ping: return [Argument(name: "message", type: "string", isOptional: true)]
    case .echo: return [Argument(name: "message", type: "string")]
    case .hello: return [Argument(name: "protover", type: "integer", isOptional: true)]
    case .auth:
      return [
        Argument(name: "username", type: "string", isOptional: true),
        Argument(name: "password", type: "string"),
      ]
    case .select: return [Argument(name: "index", type: "integer")]
    case .client, .command, .config: return [Argument(name: "subcommand", type: "string")]
    case .info:
      return [Argument(name: "section", type: "string", isOptional: true, isMultiple: true)]
    case .quit, .reset, .multi, .exec, .discard, .unwatch, .time, .dbsize, .write, .unknown:
      return []
    }
  }
}
