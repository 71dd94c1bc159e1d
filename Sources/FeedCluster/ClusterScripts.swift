#if Cluster
  /// The scripts that change several keys of a feed or an image at once.
  enum ClusterScripts {
    /// Replaces a row if the feed is in an expected state.
    ///
    /// Keys: row, list of old segments. Arguments: the new row; the first 16 bytes of the expected
    /// row, empty for no row; the field of the new segment, empty for none; its value; then the
    /// fields and values of the replaced segments. Returns 1 for success, 2 if the new row already
    /// exists, 3 for a conflict, and 4 if the entry of the new segment is not that of this writer.
    ///
    /// A new row that already exists is written again. `WAIT` of Valkey counts only the writes of
    /// its own connection, so without a write it would succeed and confirm nothing.
    static let publish = """
      local current = redis.call('GET', KEYS[1])
      if current == ARGV[1] then
        redis.call('SET', KEYS[1], current)
        return 2
      end
      local state = ''
      if current then state = string.sub(current, 1, 16) end
      if state ~= ARGV[2] then return 3 end
      if ARGV[3] ~= '' then
        if redis.call('HGET', KEYS[2], ARGV[3]) ~= ARGV[4] then return 4 end
        redis.call('HDEL', KEYS[2], ARGV[3])
      end
      redis.call('SET', KEYS[1], ARGV[1])
      for place = 5, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[place], ARGV[place + 1]) end
      return 1
      """

    /// Removes the time to live of a value. Key: its key. Argument: its length. Returns 0 if the
    /// value is missing or has another length.
    ///
    /// A repeated call finds no time to live. `APPEND` of an empty text is then the write that a
    /// barrier confirms. Without the check of the length it would create a missing key: a node that
    /// was frozen runs the commands of a killed writer after the removal of its blocks.
    static let keep = """
      if redis.call('STRLEN', KEYS[1]) ~= tonumber(ARGV[1]) then return 0 end
      if redis.call('PERSIST', KEYS[1]) == 0 then redis.call('APPEND', KEYS[1], '') end
      return 1
      """

    /// Extends the lease of a value. Key: its key. Argument: the time in milliseconds. A value without
    /// a time to live, which a seal pass has kept, stays as it is.
    static let extend = """
      if redis.call('PERSIST', KEYS[1]) == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
      return 1
      """

    /// Adds the entry of a sealed segment. Key: the list. Arguments: field, value. Returns 0 if the
    /// field has another value; a cleaner then removes the segment.
    static let addEntry = """
      local current = redis.call('HGET', KEYS[1], ARGV[1])
      if current and current ~= ARGV[2] then return 0 end
      redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
      return 1
      """

    /// Replaces the entry of an old segment if it is unchanged. Key: the list. Arguments: field,
    /// expected value, new value, which is empty to remove the entry. Returns whether the entry was
    /// unchanged.
    static let replaceEntry = """
      if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
      if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1])
      else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
      return 1
      """

    /// Replaces the row of an image if it is in an expected state.
    ///
    /// Keys: the row, the chunks of the new image, the chunks of the old image. Arguments: the new
    /// row; the start of the expected row, empty for no row; the time to live of the new row and
    /// its chunks in milliseconds; the number of new chunks; the time to live of the old chunks in
    /// milliseconds. Returns 1 for success, 0 if a new chunk is missing, and 3 if the row has
    /// another state.
    ///
    /// A new row that already exists is written again, because a barrier needs a write to confirm.
    /// Each row has a different start, also the row of a removed image, so a command that arrives
    /// late finds another state. A removal begins with `UNLINK`, which a full node permits. The
    /// node then also permits the commands after this write.
    static let replaceImage = """
      local current = redis.call('GET', KEYS[1])
      local state = current and string.sub(current, 1, 24) or ''
      if state ~= ARGV[2] and state ~= string.sub(ARGV[1], 1, 24) then return 3 end
      local count = tonumber(ARGV[4])
      if count > 0 and redis.call('EXISTS', unpack(KEYS, 2, 1 + count)) < count then return 0 end
      if #ARGV[1] == 24 then redis.call('UNLINK', KEYS[1]) end
      redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
      for place = 2, 1 + count do redis.call('PEXPIRE', KEYS[place], ARGV[3]) end
      for place = 2 + count, #KEYS do redis.call('PEXPIRE', KEYS[place], ARGV[5]) end
      return 1
      """

    /// Extends or ends the ownership of a feed. Key: the token's key. Arguments: the token, and the
    /// time in milliseconds, 0 to end the ownership. Returns whether the key still had this token.
    static let own = """
      if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
      if ARGV[2] == '0' then redis.call('UNLINK', KEYS[1])
      else redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
      return 1
      """
  }
#endif
