"""Reading: keys, queries, values, tables."""

from __future__ import annotations

import json
import uuid

import pytest
from conftest import RECORDS

import feedcore


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


def test_values_come_without_the_rest(feed):
    assert list(feed.values("deep.flag")) == [each["deep"]["flag"] for each in RECORDS]
    assert list(feed.limit(2).values("none")) == [None, None]
    assert list(feed.limit(1).select("id", "tags[]")) == [{"id": 0, "tags[]": ["a", "t0"]}]
    assert list(feed.limit(1).select("id")) == [{"id": 0}]


def test_what_is_no_query_is_refused(feed):
    for call in (lambda: feed.where("size ? 3").first(), lambda: feed.count("size"),
                 lambda: list(feed.values("a[")), lambda: feed.where("a = 1\nb = 2").count(),
                 lambda: feed.limit(-1)):
        with pytest.raises(ValueError):
            call()


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


def test_columns_become_a_data_frame(feed):
    pytest.importorskip("pandas")
    assert feed.to_pandas()["size"].sum() == 4500
