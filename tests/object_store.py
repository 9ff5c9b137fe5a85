"""An object store on this machine: S3, as moto's server plays it, through s3fs."""

from contextlib import contextmanager

import pytest
import s3fs
from moto.server import ThreadedMotoServer

from colcodec.parquet.files import find_file_system


@contextmanager
def serving():
    """Run a server that this process, and what it starts, takes for S3; give the environment that makes it so."""
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    environment = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "NO_PROXY": host,
    }
    try:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            yield environment
    finally:
        server.stop()


@contextmanager
def bucket():
    """Give a file system with an empty bucket, `bucket`."""
    s3fs.S3FileSystem.clear_instance_cache()
    store, _ = find_file_system("s3://bucket")
    store.mkdir("bucket")
    yield store
    store.rm("bucket", recursive=True)
