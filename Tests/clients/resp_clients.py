"""What clients of Redis see of a FeedCore server: redis-py, valkey-py and valkey-glide.

    resp_clients.py HOST PORT SOCKET PASSWORD FEED KEY JSON IMAGE-URL IMAGE-FILE

Fails with an AssertionError if one of them does not work as it does with Redis.
"""

import asyncio
import sys

import glide
import redis
import redis.asyncio
import valkey

host, port, socket, password, feed, key, json, url, image_file = sys.argv[1:]
port = int(port)
password = password or None
record_key = f"feed:{feed}:item:{key}"
image_key = f"img:{url}"
with open(image_file, "rb") as file:
    image = file.read()
json = json.encode()


def check_synchronous(client, library):
    """The two synchronous libraries have the same methods."""
    assert client.ping()
    assert client.get(record_key) == json, client.get(record_key)
    assert client.get("feed:nothing:item:x") is None
    assert client.mget(record_key, "x", image_key) == [json, None, image]
    assert client.exists(record_key, record_key, "x") == 2
    assert client.type(record_key) == b"string" and client.type("x") == b"none"
    assert client.strlen(image_key) == len(image)
    assert client.getrange(image_key, 1, 5) == image[1:6]
    assert client.ttl(record_key) == -1 and client.ttl("x") == -2
    generation = int(client.get("feed:{%s}:cur" % feed))
    page = client.get(f"feed:{feed}:{generation}:p:0")
    assert page.startswith(b"[{") and len(page) <= 64 << 10
    keys = set(client.scan_iter(match=f"feed:{feed}:*", count=50))
    assert record_key.encode() in keys and f"feed:{feed}:{generation}:p:0".encode() in keys
    assert all(client.exists(name) for name in list(keys)[:20])
    assert client.info()["redis_version"].startswith("7."), client.info()
    assert client.info("replication")["role"] == "master"
    assert client.config_get("save") == {"save": ""}
    assert client.command_count() == len(client.command())
    assert client.client_setname("tester") and client.client_getname() in ("tester", b"tester")
    assert client.client_id() > 0 and len(client.time()) == 2
    assert client.dbsize() == len(set(client.scan_iter(count=1000)))
    assert client.info("keyspace")["db0"]["keys"] == client.dbsize()
    assert client.mget([record_key] * 100_000) == [json] * 100_000
    pipeline = client.pipeline(transaction=False)
    for _ in range(500):
        pipeline.get(record_key)
    assert pipeline.execute() == [json] * 500
    # By default, a pipeline is a transaction between MULTI and EXEC.
    pipeline = client.pipeline()
    pipeline.watch(record_key)
    assert pipeline.get(record_key) == json
    pipeline.multi()
    for _ in range(500):
        pipeline.get(record_key).get("x").strlen(image_key)
    assert pipeline.execute() == [json, None, len(image)] * 500
    pipeline = client.pipeline().get(record_key).get(image_key).set("a", "b")
    try:
        pipeline.execute()
        raise AssertionError("a write was taken")
    except library.exceptions.ReadOnlyError:
        pass
    assert client.pipeline().get(image_key).mget(record_key, "x").execute() == [image, [json, None]]
    try:
        client.set("a", "b")
        raise AssertionError("a write was taken")
    except library.exceptions.ReadOnlyError:
        pass
    try:
        client.execute_command("NOTHING")
        raise AssertionError("an unknown command was taken")
    except library.exceptions.ResponseError:
        pass
    assert client.ping()
    client.close()


async def check_asynchronous():
    client = redis.asyncio.Redis(host=host, port=port, password=password, protocol=3)
    values = await asyncio.gather(*(client.get(record_key) for _ in range(50)))
    assert values == [json] * 50
    await client.aclose()


async def check_glide():
    credentials = glide.ServerCredentials(password) if password else None
    client = await glide.GlideClient.create(
        glide.GlideClientConfiguration(
            [glide.NodeAddress(host, port)], credentials=credentials, request_timeout=20_000
        )
    )
    assert await client.get(record_key) == json
    assert await client.mget([record_key, "x"]) == [json, None]
    assert await client.ttl("x") == -2
    assert await client.strlen(image_key) == len(image)
    batch = glide.Batch(is_atomic=True)
    batch.get(record_key)
    batch.get("x")
    batch.ttl("x")
    assert await client.exec(batch, raise_on_error=True) == [json, None, -2]
    cursor, found = b"0", set()
    while True:
        cursor, keys = await client.scan(cursor, match=f"feed:{feed}:*", count=100)
        found.update(keys)
        if cursor == b"0":
            break
    assert record_key.encode() in found
    try:
        await client.set("a", "b")
        raise AssertionError("a write was taken")
    except glide.RequestError:
        pass
    await client.close()


for protocol in (2, 3):
    for library, name in ((redis, "Redis"), (valkey, "Valkey")):
        connect = getattr(library, name)
        check_synchronous(
            connect(host=host, port=port, password=password, protocol=protocol), library
        )
        check_synchronous(
            connect(unix_socket_path=socket, password=password, protocol=protocol), library
        )
        print(f"{library.__name__} {library.__version__}, RESP{protocol}, port and socket: as with Redis")
asyncio.run(check_asynchronous())
print("redis.asyncio, 50 connections at once: as with Redis")
asyncio.run(check_glide())
print("valkey-glide: as with Redis")
