extension Course {
  /// Every scenario and every course of the five documents, in their order.
  public static let all: [Course] = universities + essential + feed2020 + characters + news

  // A course of a document is looked for by its names, so these are the headings as written, less
  // what stands in brackets, "error" and the dashes.

  private static let universities: [Course] = [
    Course(.universities, "Feed, Narrative #1", "Online", .scenario),
    Course(.universities, "Feed, Narrative #2", "Offline, cached feed", .scenario),
    Course(.universities, "Feed, Narrative #2", "Offline, cache empty", .scenario),
    Course(.universities, "Load Feed From Remote Use Case", "Primary course", .primary),
    Course(.universities, "Load Feed From Remote Use Case", "Invalid data course", .sad),
    Course(.universities, "Load Feed From Remote Use Case", "No connectivity course", .sad),
    Course(.universities, "Load(Retrieve) Feed From Cache Use Case", "Primary course", .primary),
    Course(
      .universities, "Load(Retrieve) Feed From Cache Use Case", "Retrieval error course", .sad),
    Course(.universities, "Load(Retrieve) Feed From Cache Use Case", "Empty cache course", .sad),
    Course(.universities, "Cache(Save) Feed Use Case", "Primary course", .primary),
    Course(.universities, "Cache(Save) Feed Use Case", "Deleting error course", .sad),
    Course(.universities, "Cache(Save) Feed Use Case", "Saving error course", .sad),
    Course(.universities, "Detail View, Narrative", "On the feed view", .scenario),
    Course(.universities, "Detail view Use Case", "Primary course", .primary),
  ]

  private static let essential: [Course] = [
    Course(.essential, "Image Feed, Narrative #1", "Online", .scenario),
    Course(
      .essential, "Image Feed, Narrative #2", "Offline, cache less than seven days old", .scenario),
    Course(
      .essential, "Image Feed, Narrative #2", "Offline, cache seven days old or more", .scenario),
    Course(.essential, "Image Feed, Narrative #2", "Offline, cache empty", .scenario),
    Course(.essential, "Load Feed From Remote Use Case", "Primary course", .primary),
    Course(.essential, "Load Feed From Remote Use Case", "Invalid data course", .sad),
    Course(.essential, "Load Feed From Remote Use Case", "No connectivity course", .sad),
    Course(.essential, "Load Feed Image Data From Remote Use Case", "Primary course", .primary),
    Course(.essential, "Load Feed Image Data From Remote Use Case", "Cancel course", .cancel),
    Course(.essential, "Load Feed Image Data From Remote Use Case", "Invalid data course", .sad),
    Course(.essential, "Load Feed Image Data From Remote Use Case", "No connectivity course", .sad),
    Course(.essential, "Load Feed From Cache Use Case", "Primary course", .primary),
    Course(.essential, "Load Feed From Cache Use Case", "Retrieval error course", .sad),
    Course(.essential, "Load Feed From Cache Use Case", "Expired cache course", .sad),
    Course(.essential, "Load Feed From Cache Use Case", "Empty cache course", .sad),
    Course(.essential, "Load Feed Image Data From Cache Use Case", "Primary course", .primary),
    Course(.essential, "Load Feed Image Data From Cache Use Case", "Cancel course", .cancel),
    Course(.essential, "Load Feed Image Data From Cache Use Case", "Retrieval error course", .sad),
    Course(.essential, "Load Feed Image Data From Cache Use Case", "Empty cache course", .sad),
    Course(.essential, "Validate Feed Cache Use Case", "Primary course", .primary),
    Course(.essential, "Validate Feed Cache Use Case", "Retrieval error course", .sad),
    Course(.essential, "Validate Feed Cache Use Case", "Expired cache course", .sad),
    Course(.essential, "Cache Feed Use Case", "Primary course", .primary),
    Course(.essential, "Cache Feed Use Case", "Deleting error course", .sad),
    Course(.essential, "Cache Feed Use Case", "Saving error course", .sad),
    Course(.essential, "Cache Feed Image Data Use Case", "Primary course", .primary),
    Course(.essential, "Cache Feed Image Data Use Case", "Saving error course", .sad),
    Course(.essential, "Image Comments, Narrative", "Online", .scenario),
    Course(.essential, "Image Comments, Narrative", "Offline", .scenario),
    Course(.essential, "Load Image Comments From Remote Use Case", "Primary course", .primary),
    Course(.essential, "Load Image Comments From Remote Use Case", "Invalid data course", .sad),
    Course(.essential, "Load Image Comments From Remote Use Case", "No connectivity course", .sad),
  ]

  private static let feed2020: [Course] = [
    Course(.feed2020, "Image Feed, Narrative #1", "Online", .scenario),
    Course(
      .feed2020, "Image Feed, Narrative #2", "Offline, cache less than seven days old", .scenario),
    Course(
      .feed2020, "Image Feed, Narrative #2", "Offline, cache seven days old or more", .scenario),
    Course(.feed2020, "Image Feed, Narrative #2", "Offline, cache empty", .scenario),
    Course(.feed2020, "Load Feed From Remote Use Case", "Primary course", .primary),
    Course(.feed2020, "Load Feed From Remote Use Case", "Invalid data course", .sad),
    Course(.feed2020, "Load Feed From Remote Use Case", "No connectivity course", .sad),
    Course(.feed2020, "Load Feed From Cache Use Case", "Primary course", .primary),
    Course(.feed2020, "Load Feed From Cache Use Case", "Error course", .sad),
    Course(.feed2020, "Load Feed From Cache Use Case", "Expired cache course", .sad),
    Course(.feed2020, "Load Feed From Cache Use Case", "Empty cache course", .sad),
    Course(.feed2020, "Cache Feed Use Case", "Primary course", .primary),
    Course(.feed2020, "Cache Feed Use Case", "Deleting error course", .sad),
    Course(.feed2020, "Cache Feed Use Case", "Saving error course", .sad),
  ]

  private static let characters: [Course] = [
    Course(.characters, "Image Feed, Narrative #1", "Online", .scenario),
    Course(.characters, "Image Feed, Narrative #2", "Offline, cached characters", .scenario),
    Course(.characters, "Image Feed, Narrative #2", "Offline, cache empty", .scenario),
    Course(.characters, "Load Feed Use Case", "Primary course", .primary),
    Course(.characters, "Load Feed Use Case", "Invalid data course", .sad),
    Course(.characters, "Load Feed Use Case", "No connectivity course", .sad),
    Course(.characters, "Load Feed Fallback (Cache) Use Case", "Primary course", .primary),
    Course(.characters, "Load Feed Fallback (Cache) Use Case", "Empty cache course", .sad),
    Course(.characters, "Save Feed Items Use Case", "Primary course", .primary),
  ]

  private static let news: [Course] = [
    Course(.news, "News Feed, Narrative #1", "Online", .scenario),
    Course(.news, "News Feed, Narrative #2", "Offline, cache less than seven days old", .scenario),
    Course(.news, "News Feed, Narrative #2", "Offline, cache seven days old or more", .scenario),
    Course(.news, "News Feed, Narrative #2", "Offline, cache empty", .scenario),
    Course(.news, "Load Feed From Remote Use Case", "Primary course", .primary),
    Course(.news, "Load Feed From Remote Use Case", "Invalid data course", .sad),
    Course(.news, "Load Feed From Remote Use Case", "No connectivity course", .sad),
    Course(.news, "Load News Feed Image Data From Remote Use Case", "Primary course", .primary),
    Course(.news, "Load News Feed Image Data From Remote Use Case", "Cancel course", .cancel),
    Course(.news, "Load News Feed Image Data From Remote Use Case", "Invalid data course", .sad),
    Course(.news, "Load News Feed Image Data From Remote Use Case", "No connectivity course", .sad),
    Course(.news, "Load Feed From Cache Use Case", "Primary course", .primary),
    Course(.news, "Load Feed From Cache Use Case", "Retrieval error course", .sad),
    Course(.news, "Load Feed From Cache Use Case", "Expired cache course", .sad),
    Course(.news, "Load Feed From Cache Use Case", "Empty cache course", .sad),
    Course(.news, "Load Articles Feed Image Data From Cache Use Case", "Primary course", .primary),
    Course(.news, "Load Articles Feed Image Data From Cache Use Case", "Cancel course", .cancel),
    Course(
      .news, "Load Articles Feed Image Data From Cache Use Case", "Retrieval error course", .sad),
    Course(.news, "Load Articles Feed Image Data From Cache Use Case", "Empty cache course", .sad),
    Course(.news, "Validate Articles Feed Cache Use Case", "Primary course", .primary),
    Course(.news, "Validate Articles Feed Cache Use Case", "Retrieval error course", .sad),
    Course(.news, "Validate Articles Feed Cache Use Case", "Expired cache course", .sad),
    Course(.news, "Cache Feed Use Case", "Primary course", .primary),
    Course(.news, "Cache Feed Use Case", "Deleting error course", .sad),
    Course(.news, "Cache Feed Use Case", "Saving error course", .sad),
    Course(.news, "Cache Feed Image Data Use Case", "Primary course", .primary),
    Course(.news, "Cache Feed Image Data Use Case", "Saving error course", .sad),
    Course(.news, "Article Details, Narrative", "Online", .scenario),
    Course(.news, "Article Details, Narrative", "Offline", .scenario),
    Course(.news, "Load Article Details From Remote Use Case", "Primary course", .primary),
    Course(.news, "Load Article Details From Remote Use Case", "Invalid data course", .sad),
    Course(.news, "Load Article Details From Remote Use Case", "No connectivity course", .sad),
  ]
}
