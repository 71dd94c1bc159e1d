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
