/// A command's name in lower case, as two integers, so that a lookup allocates no `String`.
struct CommandName: Hashable, Sendable {
  private let low: UInt64
  private let high: UInt64

  static let maximumLength = 16

  /// Nil for a name longer than any known one.
  init?(_ bytes: Span<UInt8>) {
    guard bytes.count <= Self.maximumLength else { return nil }
    var low: UInt64 = 0
    var high: UInt64 = 0
    for index in bytes.indices {
      var byte = bytes[index]
      if byte &- UInt8(ascii: "A") < 26 { byte |= 0x20 }
      if index < 8 { low = low << 8 | UInt64(byte) } else { high = high << 8 | UInt64(byte) }
    }
    (self.low, self.high) = (low, high)
  }

  static func command(_ name: Span<UInt8>) -> RESPCommand {
    guard let name = CommandName(name) else { return .unknown }
    return name.isGet ? .get : commands[name] ?? .unknown
  }

  /// Whether it is GET, the most frequent command, which is looked up first.
  private var isGet: Bool { low == 0x67_65_74 && high == 0 }

  private static let commands: [CommandName: RESPCommand] = {
    var commands: [CommandName: RESPCommand] = [:]
    func add(_ text: String, _ command: RESPCommand) {
      if let name = CommandName(Array(text.utf8).span) { commands[name] = command }
    }
    for name in writes { add(name, .write) }
    for command in RESPCommand.listed { add(command.name, command) }
    return commands
  }()

  /// The commands of Redis 7 that change a key.
  private static let writes = [
    "append", "bitfield", "bitop", "blmove", "blmpop", "blpop", "brpop", "brpoplpush", "bzmpop",
    "bzpopmax", "bzpopmin", "copy", "decr", "decrby", "del", "expire", "expireat", "flushall",
    "flushdb", "geoadd", "georadius", "geosearchstore", "getdel", "getex", "getset", "hdel",
    "hincrby", "hincrbyfloat", "hmset", "hset", "hsetnx", "incr", "incrby", "incrbyfloat",
    "linsert", "lmove", "lmpop", "lpop", "lpush", "lpushx", "lrem", "lset", "ltrim", "migrate",
    "move", "mset", "msetnx", "persist", "pexpire", "pexpireat", "pfadd", "pfmerge", "psetex",
    "rename", "renamenx", "restore", "rpop", "rpoplpush", "rpush", "rpushx", "sadd",
    "sdiffstore", "set", "setbit", "setex", "setnx", "setrange", "sinterstore", "smove", "spop",
    "srem", "sunionstore", "swapdb", "unlink", "xack", "xadd", "xautoclaim", "xclaim", "xdel",
    "xgroup", "xreadgroup", "xsetid", "xtrim", "zadd", "zdiffstore", "zincrby", "zinterstore",
    "zmpop", "zpopmax", "zpopmin", "zrangestore", "zrem", "zremrangebylex", "zremrangebyrank",
    "zremrangebyscore", "zunionstore",
  ]
}
