"""Files in an object store: S3, as moto's server on this machine plays it, through s3fs."""

import io
import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import object_store
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import colcodec as cc
from colcodec.parquet import files
from colcodec.parquet.files import replacing

ROWS = 200
TABLE = pa.table({"id": range(ROWS), "url": [f"https://example.org/{i:06}" for i in range(ROWS)]})
BLOCK = 5 << 20  # the least that S3 takes for a part of an upload


@pytest.fixture(scope="module", autouse=True)
def server():
    with object_store.serving():
        yield


@pytest.fixture
def store():
    with object_store.bucket() as store:
        yield store


def contents(table, **options):
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


def read(store, name):
    store.invalidate_cache()
    return pq.read_table(io.BytesIO(store.cat(name)))


def uploads(store):
    """What was begun, and neither finished nor given up."""
    return store.call_s3("list_multipart_uploads", Bucket="bucket").get("Uploads", [])


@pytest.mark.parametrize("target", ["s3://bucket/smaller.parquet", "s3://bucket/in.parquet"])
def test_a_file_is_recoded(store, target):
    """To another name, and in place."""
    store.pipe("bucket/in.parquet", contents(TABLE))
    done = cc.parquet.recode("s3://bucket/in.parquet", target, encoding="DELTA_BYTE_ARRAY")
    assert done.columns[0].encodings_after == {"DELTA_BYTE_ARRAY": 1}
    assert read(store, target).equals(TABLE)
    assert store.info(target)["size"] == done.size_after
    assert cc.parquet.read_column(target, "url").to_pylist() == TABLE["url"].to_pylist()


def test_the_same_bytes_as_in_a_file(store, tmp_path):
    cc.parquet.write_columns("s3://bucket/a/b.parquet", {"url": ["x", None]})
    cc.parquet.write_columns(tmp_path / "b.parquet", {"url": ["x", None]})
    assert store.cat("bucket/a/b.parquet") == (tmp_path / "b.parquet").read_bytes()


def test_a_damaged_source_leaves_what_was_there(store):
    data = bytearray(contents(TABLE, compression="none", use_dictionary=False, write_page_checksum=True))
    data[data.index(b"example.org/000100")] ^= 1
    store.pipe("bucket/in.parquet", bytes(data))
    store.pipe("bucket/out.parquet", b"old")
    with pytest.raises(cc.MalformedFileError, match="checksum"):
        cc.parquet.recode("s3://bucket/in.parquet", "s3://bucket/out.parquet")
    store.invalidate_cache()
    assert store.cat("bucket/out.parquet") == b"old"
    assert sorted(store.ls("bucket", detail=False)) == ["bucket/in.parquet", "bucket/out.parquet"]


@pytest.mark.parametrize("size", [10, 2 * BLOCK + 10])
def test_in_one_part_and_in_several(store, size):
    data = np.random.default_rng(0).bytes(size)
    store.default_block_size = BLOCK
    with replacing("s3://bucket/file") as file:
        file.write(data)
        assert not store.exists("bucket/file")
        file.seek(0)
        assert file.read(10) == data[:10]
    store.invalidate_cache()
    assert store.cat("bucket/file") == data


@pytest.mark.parametrize("size", [10, 2 * BLOCK + 10])
def test_an_upload_that_fails_leaves_what_was_there(store, size, monkeypatch):
    def copy_and_fail(source, target, length):
        target.write(source.read())
        raise OSError("the line is dead")

    store.pipe("bucket/file", b"old")
    store.default_block_size = BLOCK
    monkeypatch.setattr(files, "shutil", type("", (), {"copyfileobj": copy_and_fail, "copymode": shutil.copymode}))
    with pytest.raises(OSError, match="the line is dead"), replacing("s3://bucket/file") as file:
        file.write(bytes(size))
    store.invalidate_cache()
    assert store.cat("bucket/file") == b"old"
    assert uploads(store) == []


def test_a_bucket_that_is_not_there(store):
    with pytest.raises(FileNotFoundError):
        cc.parquet.recode("s3://nowhere/in.parquet", "s3://bucket/out.parquet")
    with pytest.raises(FileNotFoundError):
        cc.parquet.write_columns("s3://nowhere/out.parquet", {"url": ["x"]})


def test_a_data_set_in_place(store):
    """Unless there is a file that knows places in the others."""
    for i in range(2):
        store.pipe(f"bucket/in/part={i}/0.parquet", contents(TABLE))
    store.pipe("bucket/in/part=1/_metadata", b"")
    with ThreadPoolExecutor(1) as client:
        for source in ("s3://bucket/in", "s3://bucket/in/*/*.parquet"):
            with pytest.raises(ValueError, match="bucket/in/part=1/_metadata has sizes or places"):
                cc.parquet.recode_dataset(source, in_place=True, client=client)
        store.rm("bucket/in/part=1/_metadata")
        done = cc.parquet.recode_dataset("s3://bucket/in", in_place=True, client=client)
    assert [*done.files] == [f"s3://bucket/in/part={i}/0.parquet" for i in range(2)]
    assert done.size_after < done.size_before
    assert store.find("bucket/in") == [f"bucket/in/part={i}/0.parquet" for i in range(2)]
    assert read(store, "bucket/in/part=0/0.parquet").equals(TABLE)
