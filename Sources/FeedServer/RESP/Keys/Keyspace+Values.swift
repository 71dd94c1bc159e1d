#if Server
  import FeedSchema
  import FeedRecord
  import FeedStorage
  import JSONStream

  extension Keyspace {
    /// The value of a key; nil if it is missing or expired.
    func value(_ bytes: Span<UInt8>) throws(StoreError) -> ServedValue? {
      guard let key = ServedKey(bytes) else { return nil }
      switch key {
      case .current(let name):
        guard let (_, feed) = try feed(bytes, name) else { return nil }
        return .bytes(Array(String(feed.description.generation).utf8))
      case .meta(let name, let generation):
        guard let (_, feed) = try feed(bytes, name), feed.description.generation == generation
        else { return nil }
        return .bytes(try meta(feed))
      case .page(let name, let generation, let number):
        guard let (slot, feed) = try feed(bytes, name), feed.description.generation == generation
        else { return nil }
        return try page(number, of: feed, slot)
      case .item(let name, let item):
        return try record(bytes, name, item).map { .bytes($0.json) }
      case .image(let url):
        guard let url = try imageURL(bytes.extracting(url)) else { return nil }
        return try image(url).map { .image($0) }
      }
    }

    /// Whether a key has a value, and its expiry.
    func presence(_ bytes: Span<UInt8>) throws(StoreError) -> ServedPresence {
      guard let key = ServedKey(bytes) else { return .absent }
      switch key {
      case .image(let url):
        guard let url = try imageURL(bytes.extracting(url)),
          let image = try image(url)
        else { return .absent }
        return .until(image.metadata.expiryReferenceSeconds ?? .infinity)
      case .current(let name):
        return presence(ofSlot: try feed(bytes, name)?.0)
      case .meta(let name, let generation):
        guard let (slot, feed) = try feed(bytes, name), feed.description.generation == generation
        else { return .absent }
        return presence(ofSlot: slot)
      case .page(let name, let generation, let number):
        guard let (slot, feed) = try feed(bytes, name), feed.description.generation == generation
        else { return .absent }
        if number < slots[slot].pages.starts.count { return presence(ofSlot: slot) }
        let page = try page(number, of: feed, slot)
        if case .unfinished? = page { return .unfinished }
        return presence(ofSlot: page == nil ? nil : slot)
      case .item(let name, let item):
        return presence(ofSlot: try record(bytes, name, item)?.slot)
      }
    }

    /// The URL of an image in the form in which it is stored, from a key with the URL as a record
    /// has it. Nil if it is not UTF-8.
    func imageURL(_ bytes: Span<UInt8>) throws(StoreError) -> String? {
      guard let text = Self.text(bytes) else { return nil }
      // Most URLs are absolute. Any other text is a miss, or is relative to the URL of a feed.
      guard !URLText.isHTTP(bytes.bytes), let images = try store.images() else { return text }
      return try store.database.storedImageURL(ofText: text, in: images)
    }

    /// The description of an image; nil if it is missing or expired. Counts the lookup.
    private func image(_ url: String) throws(StoreError) -> ImageDescription? {
      let images = try store.images()
      let image = try images?.description(of: url)
      count(isFound: image != nil)
      if image == nil { images?.countMiss(url) }
      return image
    }

    /// Whether an image can be read. Counts a lookup that finds none; the read counts the others.
    func hasImage(_ url: String) throws(StoreError) -> Bool {
      let images = try store.images()
      if try images?.containsStored(url) == true { return true }
      count(isFound: false)
      images?.countMiss(url)
      return false
    }

    private func presence(ofSlot slot: Int?) -> ServedPresence {
      slot.map { .until(validities[$0].expiry) } ?? .absent
    }

    /// The first record with a key as JSON, with its feed; nil if there is none.
    func record(
      _ bytes: Span<UInt8>, _ name: Range<Int>, _ key: Range<Int>
    ) throws(StoreError) -> (slot: Int, json: [UInt8])? {
      guard let (slot, feed) = try feed(bytes, name) else {
        work += 1 << 10
        return nil
      }
      var line = reusableLine()
      let isFound = try feed.appendJSON(ofKey: bytes.extracting(key).bytes, to: &line)
      work += (1 << 10) + line.count
      count(isFound: isFound)
      if isFound { return (slot, line) }
      recycle(line)
      return nil
    }

    private func meta(_ feed: Feed) throws(StoreError) -> [UInt8] {
      let description = feed.description
      var json: [UInt8] = []
      func add(_ key: String, _ text: String) {
        json.append(json.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
        JSONText.appendString(key, to: &json)
        json.append(UInt8(ascii: ":"))
        JSONText.appendString(text, to: &json)
      }
      func add(_ key: String, number: String) {
        json.append(UInt8(ascii: ","))
        JSONText.appendString(key, to: &json)
        json.append(UInt8(ascii: ":"))
        json += number.utf8
      }
      add("name", description.name.text)
      add("kind", description.kind)
      add("key", feed.keyName)
      add("generation", number: String(description.generation))
      add("records", number: String(description.recordCount))
      add("bytes", number: String(description.storedBytes))
      if let timestamp = DateText.text(referenceSeconds: description.referenceSeconds) {
        add("timestamp", String(decoding: timestamp, as: UTF8.self))
      }
      json.append(UInt8(ascii: "}"))
      return json
    }
  }
#endif
