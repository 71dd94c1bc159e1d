"""Reading: keys, queries, values, tables."""

from __future__ import annotations

import json
import uuid

import pytest
from conftest import RECORDS

import feedcore
from feedcore._library import lib


def test_a_store_maps_names_to_feeds(store, feed):
    assert list(store) == ["things"] and len(store) == 1
    assert "things" in store and "other" not in store and 7 not in store
    assert len(feed) == 1000 and feed.description.kind == "json"
    assert feed.description.generation == 1
    with pytest.raises(KeyError, match="there is no feed named other"):
        store["other"]
    del store["things"]
    assert list(store) == []
    with pytest.raises(feedcore.NotFoundError):
        del store["things"]


def test_a_record_is_found_by_its_key(feed):
    record = feed[7]
    assert record == RECORDS[7] and isinstance(record, dict)
    assert json.loads(bytes(record.text)) == RECORDS[7]
    assert record.text.readonly
    assert feed["7"] == RECORDS[7]
    assert 7 in feed and 1000 not in feed and feed.get(1000, "none") == "none"
    with pytest.raises(KeyError, match="no record with the key 1000"):
        feed[1000]
    with pytest.raises(TypeError):
        feed[object()]


def test_a_record_is_found_by_its_position(feed):
    assert feed.at(0) == RECORDS[0] and feed.at(-1) == RECORDS[-1]
    for position in (1000, -1001):
        with pytest.raises(IndexError):
            feed.at(position)


def test_a_deleted_feed_has_no_records_to_answer_for(path, store, feed):
    calls = (lambda: feed[7], lambda: feed.get(7), lambda: feed.get(1000, "none"),
             lambda: 7 in feed, lambda: feed.text(7), lambda: feed.at(0), lambda: feed.at(-1),
             lambda: len(feed), lambda: feed.count(), lambda: feed.first(),
             lambda: list(feed.sort("id")), lambda: feed.schema, lambda: store["things"])
    assert feed.get(7) == RECORDS[7]

    def refuse() -> None:
        for call in calls:
            with pytest.raises(feedcore.NotFoundError, match="there is no feed named things"):
                call()

    with feedcore.open(path) as other:
        # This store keeps an idle reader for the next look-up.
        del other["things"]
        refuse()
        other.ingest(RECORDS, feed="things", key="id")
    assert feed.get(7) == RECORDS[7] and 1000 not in feed
    del store["things"]
    refuse()


def test_keys_of_each_form_are_found(store):
    store.ingest(json.dumps([{"a": "x", "b": 1}, {"a": "x", "b": 2}]).encode(), feed="pairs",
                 key=["a", "b"])
    assert store["pairs"]["x", 2] == {"a": "x", "b": 2}
    number = uuid.UUID("7019d8a7-0b35-4057-b7f9-8c5471961ed0")
    store.ingest(b'{"items": [{"id": "%s", "message": "m", "created_at": '
                 b'"2020-05-20T11:24:59+0000", "author": {"username": "u"}}]}'
                 % str(number).encode(), feed="comments")
    assert store["comments"][number]["message"] == "m"
    store.ingest(b"[[1], 2, null]", feed="scalars")
    assert [each for each in store["scalars"]] == [[1], 2, None]
    assert store["scalars"]["#0"] == [1]


def test_literals_are_kept(store):
    big = 123456789012345678901234567890
    store.ingest(b'[{"id":1,"big":%d,"one":1.0}]' % big, feed="exact", key="id")
    assert bytes(store["exact"][1].text) == b'{"id":1,"big":%d,"one":1.0}' % big
    with feedcore.open(store.path, "r", loads=json.loads) as exact:
        assert exact["exact"][1]["big"] == big


def test_all_records_come_in_order(feed):
    assert list(feed) == RECORDS
    assert [json.loads(bytes(text)) for text in feed.texts()] == RECORDS


def test_texts_may_be_kept(feed):
    texts = list(feed.texts())
    feed._store.close()
    assert json.loads(bytes(texts[500])) == RECORDS[500]


@pytest.mark.parametrize("conditions, expected", [
    (("size = 3",), lambda each: each["size"] == 3),
    (("size >= 3", "deep.flag = true"), lambda each: each["size"] >= 3 and each["deep"]["flag"]),
    (("tags[] = t1",), lambda each: "t1" in each["tags"]),
    (("name ~ é99",), lambda each: "é99" in each["name"]),
    (("size in 1,2",), lambda each: each["size"] in (1, 2)),
    (("none exists",), lambda each: False),
])
def test_conditions_select_records(feed, conditions, expected):
    wanted = [each for each in RECORDS if expected(each)]
    found = feed.where(*conditions)
    assert list(found) == wanted
    assert found.count() == feed.count(*conditions) == len(wanted)
    assert list(found.skip(2).limit(3)) == wanted[2:5]
    assert found.first() == (wanted[0] if wanted else None)


def test_views_do_not_change_each_other(feed):
    view = feed.where("size = 3")
    view.limit(2), view.where("id = 3"), view.skip(5)
    assert view.count() == 100 and len(list(view)) == 100
    assert list(feed.skip(10).limit(5).skip(2)) == RECORDS[12:15]
    assert list(feed.limit(0)) == [] and feed.limit(3).count() == 3


def test_records_are_sorted(feed):
    found = feed.where("size >= 8").sort("-size", "name").limit(3)
    wanted = sorted((each for each in RECORDS if each["size"] >= 8),
                    key=lambda each: (-each["size"], each["name"]))
    assert list(found) == wanted[:3]
    assert [each["size"] for each in feed.sort("size")] == sorted(
        each["size"] for each in RECORDS)


def test_more_records_than_can_be_sorted_are_refused(store):
    def fill(count: int) -> feedcore.Feed:
        store.ingest(({"id": number} for number in range(count)), feed="many", key="id")
        return store["many"]

    feed = fill(100_001)
    refused = (feed.sort("-id"), feed.sort("-id").limit(100_001), feed.sort("-id").skip(1),
               feed.sort("-id").skip(100_000).limit(1), feed.where("id >= 0").sort("id"))
    for records in refused:
        with pytest.raises(feedcore.MisuseError,
                           match="100,001 records .* 100,000 is the maximum; set a limit"):
            next(iter(records))
        with pytest.raises(feedcore.MisuseError):
            next(records.values("id"))
    assert feed.sort("-id").first() == {"id": 100_000} and feed.sort("-id").count() == 100_001
    assert list(feed.sort("-id").skip(99_998).limit(2).values("id")) == [2, 1]
    narrow = feed.where("id > 0").sort("-id")
    assert list(narrow.values("id")) == list(range(100_000, 0, -1))
    assert list(narrow.skip(99_999)) == [{"id": 1}] and list(narrow.skip(100_000)) == []
    assert list(fill(100_000).sort("-id").values("id")) == list(range(99_999, -1, -1))


def test_a_feed_that_grows_before_it_is_sorted_is_not_cut(store, monkeypatch):
    store.ingest([{"id": 1}], feed="many")
    begin, grown = lib.feedcore_batch_begin, []

    def grow_and_begin(*arguments):
        if not grown:
            grown.append(store.ingest(({"id": number} for number in range(100_001)), feed="many"))
        return begin(*arguments)

    monkeypatch.setattr(lib, "feedcore_batch_begin", grow_and_begin)
    with pytest.raises(feedcore.MisuseError, match="100,001"):
        list(store["many"].sort("id"))


def test_values_come_without_the_rest(feed):
    assert list(feed.values("deep.flag")) == [each["deep"]["flag"] for each in RECORDS]
    assert list(feed.limit(2).values("none")) == [None, None]
    assert list(feed.limit(1).select("id", "tags[]")) == [{"id": 0, "tags[]": ["a", "t0"]}]
    assert list(feed.limit(1).select("id")) == [{"id": 0}]
    assert list(feed.limit(1).select("id", "id")) == [{"id": 0}]


def test_what_is_no_query_is_refused(feed):
    for call in (lambda: feed.where("size ? 3").first(), lambda: feed.count("size"),
                 lambda: list(feed.values("a[")), lambda: feed.where("a = 1\nb = 2").count(),
                 lambda: feed.limit(-1)):
        with pytest.raises(ValueError):
            call()


@pytest.mark.parametrize("text", ["", "a\nb", "a\0b"])
def test_a_path_that_the_library_would_split_or_skip_is_refused(store, feed, text):
    calls = (lambda: list(feed.values(text)), lambda: list(feed.select("id", text)),
             lambda: list(feed.select(text)), lambda: list(feed.sort(text)),
             lambda: feed.where("id = 1", text).count(),
             lambda: store.ingest(RECORDS, feed="x", index=["id", text]),
             lambda: store.ingest(RECORDS, feed="x", key=[text]))
    for call in calls:
        message = "write it in double quotes as" if text else "is empty"
        with pytest.raises(ValueError, match=message):
            call()
    assert "x" not in store


@pytest.mark.parametrize("text", ["", "a\0b"])
def test_what_is_no_path_of_a_file_is_refused(store, text):
    with pytest.raises(ValueError, match="the path is empty or contains a zero"):
        feedcore.open(text)
    with pytest.raises(ValueError, match="embedded null" if text else "the source is empty"):
        store.ingest(text)


def test_a_name_with_any_letter_is_a_path_in_quotes(store):
    record = {"a\nb": 1, "a\0b": 2, "c,d": 3}
    for number, path in enumerate((r'"a\u000ab"', r'"a\u0000b"', r'"c\u002cd"'), 1):
        store.ingest([record], feed="odd", index=path, key=path)
        assert list(store["odd"].values(path)) == [number]
        assert store["odd"][number] == record and store["odd"].count(f"{path} = {number}") == 1
    with pytest.raises(ValueError, match=r"contains ','.*u002c"):
        store.ingest([record], feed="odd", key="a,b")
    with pytest.raises(ValueError, match="the name of the feed is empty"):
        store.ingest([record], feed="")


def test_an_iteration_reads_one_generation(store, feed):
    records = iter(feed)
    assert next(records) == RECORDS[0]
    store.ingest(b'[{"id": 1}]', feed="things", key="id")
    assert list(records) == RECORDS[1:]
    assert list(feed) == [{"id": 1}] and feed[1] == {"id": 1}


def test_the_schema_is_json_schema(feed):
    assert feed.schema["properties"]["size"]["type"] == "integer"


def test_tables_are_html_without_markup_of_records(store):
    store.ingest(b'[{"<b>": "<script>", "n": [1, 2]}]', feed="html")
    page = store["html"]._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page and "[1, 2]" in page
    assert "html" in store._repr_html_() and "1 records" in page


def test_columns_become_a_table_of_arrow(store, feed):
    pyarrow = pytest.importorskip("pyarrow")
    table = feed.to_arrow()
    assert table.to_pylist() == RECORDS
    assert table.schema.field("name").type == pyarrow.string()
    assert feed.where("size = 3").select("id", "size").to_arrow().num_rows == 100
    assert feed.where("size = 99").to_arrow().num_rows == 0
    store.ingest(b'[{"v": 1}, {"v": "2020-01-01T00:00:00Z"}, {"w": 1.5}]', feed="mixed")
    assert store["mixed"].to_arrow().to_pylist()[:2] == [
        {"v": "1", "w": None}, {"v": '"2020-01-01T00:00:00Z"', "w": None}]
    store.ingest(b"[1, 2]", feed="scalars")
    assert store["scalars"].to_arrow().to_pydict() == {"value": [1, 2]}


def test_texts_that_look_like_times_stay_texts_in_a_table(store):
    pytest.importorskip("pyarrow")
    day, moment = "2020-01-01", "2020-01-01T10:00:00Z"
    records = [
        {"id": 1, "day": day, "deep": {"at": moment, "none": None, "days": [day, None]},
         "tags": [day], "rows": [{"at": moment, "size": 1}, None], "lists": [[moment], []]},
        {"id": 2, "day": None, "deep": None, "tags": [], "rows": None, "lists": None},
    ]
    store.ingest(records, feed="times")
    table = store["times"].to_arrow()
    assert table.to_pylist() == records
    assert table.column_names == list(records[0])
    assert store["times"].select("deep.at", "tags").to_arrow().to_pydict() == {
        "deep.at": [moment, None], "tags": [[day], []]}
    # A column of several types does not change the other columns.
    store.ingest([dict(records[0], mixed=1), dict(records[0], mixed="é")], feed="times")
    found = store["times"].to_arrow().to_pylist()
    assert [each["mixed"] for each in found] == ["1", '"é"']
    assert [each["deep"] for each in found] == [records[0]["deep"]] * 2
    # Several threads read parts of a large table.
    many = [{"deep": {"at": moment if number < 50_000 else f"é{number}"}}
            for number in range(60_000)]
    store.ingest(many, feed="times")
    assert store["times"].to_arrow().to_pylist() == many


def test_times_in_lists_are_texts_of_a_data_frame(store):
    pytest.importorskip("pandas")
    store.ingest([{"days": ["2020-01-01"], "at": {"day": "2020-01-01"}}], feed="times")
    row = store["times"].to_pandas().iloc[0]
    assert list(row["days"]) == ["2020-01-01"] and row["at"] == {"day": "2020-01-01"}


def test_columns_become_a_data_frame(feed):
    pytest.importorskip("pandas")
    assert feed.to_pandas()["size"].sum() == 4500
