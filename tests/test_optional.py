"""What works where an extra, pyarrow, pandas or polars is not installed, and that nothing tries to import them."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

BLOCK = """
import sys, importlib.abc

class Blocker(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {names}:
            tried.append(name)
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

tried = []
sys.meta_path.insert(0, Blocker())
"""


def run_without(names, code):
    """Run a program that cannot import some packages; `tried` has what it tried to."""
    program = BLOCK.format(names=names) + textwrap.dedent(code)
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[1])
    assert done.returncode == 0, done.stderr


EXTRAS = ("thrift", "cramjam", "fsspec", "typer", "rich", "numcodecs", "zarr")


def test_the_package_imports_no_extra():
    """All public names can be used, and help() shows them."""
    run_without(
        EXTRAS,
        """
        import sys, pydoc
        import colcodec as cc

        assert tried == []
        sys.modules["thrift"] = None  # as Python says it without looking
        assert set(cc.__all__) <= set(dir(cc))
        assert "parquet" not in dir(cc)
        assert "encode_validity" in pydoc.plaintext.document(cc)
        assert tried == []
        """,
    )


def test_parquet_is_there_once_it_is_used():
    """As an attribute of the package, which knows of it before."""
    run_without(
        (),
        """
        import sys
        import colcodec as cc

        loaded = {name.partition(".")[0] for name in sys.modules}
        assert loaded.isdisjoint({"thrift", "cramjam", "fsspec", "typer", "rich", "numcodecs", "zarr"}), loaded
        assert "colcodec.parquet" not in sys.modules
        assert "parquet" in dir(cc)
        assert cc.parquet is sys.modules["colcodec.parquet"]
        """,
    )


def test_parquet_without_thrift_says_what_to_install():
    """However it is asked for."""
    run_without(
        ("thrift",),
        """
        import importlib
        import colcodec as cc

        for way in (lambda: cc.parquet, lambda: importlib.import_module("colcodec.parquet")):
            try:
                way()
            except ModuleNotFoundError as error:
                assert str(error) == 'colcodec.parquet needs thrift: pip install "colcodec[parquet]"'
                assert error.name == "thrift"
                continue
            raise AssertionError(way)
        try:
            cc.parquets
        except AttributeError as error:
            assert str(error) == "module 'colcodec' has no attribute 'parquets'"
        """,
    )


def test_data_sets_need_dask_only_where_nobody_else_does_them(tmp_path):
    """And that is told."""
    run_without(
        ("distributed", "dask"),
        f"""
        from concurrent.futures import ThreadPoolExecutor
        import colcodec as cc

        cc.parquet.write_columns({str(tmp_path / "0.parquet")!r}, {{"word": ["axis", "axle"]}})
        with ThreadPoolExecutor(1) as executor:
            done = cc.parquet.recode_dataset({str(tmp_path)!r}, dry_run=True, client=executor)
        assert len(done.files) == 1
        assert tried == []
        try:
            cc.parquet.recode_dataset({str(tmp_path)!r}, dry_run=True)
        except ModuleNotFoundError as error:
            assert str(error) == 'Dask needs distributed: pip install "colcodec[dask]"'
        else:
            raise AssertionError
        """,
    )


@pytest.mark.parametrize("name", ["numcodecs", "zarr"])
def test_plugins_without_their_library_say_what_to_install(name):
    """The module of each is for that library alone."""
    run_without(
        (name,),
        f"""
        import importlib

        try:
            importlib.import_module("colcodec.plugins.{name}")
        except ModuleNotFoundError as error:
            assert str(error) == 'colcodec.plugins.{name} needs {name}: pip install "colcodec[{name}]"'
            assert error.name == "{name}"
        else:
            raise AssertionError
        """,
    )


def test_dataframes_need_no_compressor():
    """Their pages are chosen by what they take as they are."""
    run_without(
        ("cramjam", "pandas"),
        """
        import colcodec as cc, polars as pl
        df = pl.DataFrame({"words": ["axis", None, "axle"]})
        assert cc.decode_frame(cc.encode_frame(df)).equals(df)
        """,
    )


def test_lists_and_numpy_alone():
    """Need nothing else, and nothing looks for it."""
    run_without(
        ("pyarrow", "pandas", "polars"),
        """
        import numpy as np
        import colcodec as cc

        values = ["axis", None, "\\u00e4"]
        columns = [cc.column(values)]
        columns += [cc.column(columns[0].to_numpy(kind, fill=None if kind in "TO" else "-")) for kind in "TOUS"]
        for column in columns:
            for encoding in ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY"):
                page = cc.encode(column, encoding)
                assert cc.decode(page) == column
        assert cc.decode(page).to_pylist() == [b"axis", b"-", "\\u00e4".encode()]
        assert cc.choose(values, compression="none").num_sampled == 2
        for function in (cc.column, cc.encode_frame):
            try:
                function(1)
            except cc.InvalidTypeError:
                continue
            raise AssertionError(function)
        assert tried == []
        """,
    )


@pytest.mark.parametrize("to", ["pandas", "polars", "pyarrow"])
def test_what_needs_a_library_says_so(to):
    """By Python's own error, which has the name."""
    run_without(
        ("pyarrow", "pandas", "polars"),
        f"""
        import colcodec as cc

        page = cc.encode(["axis"], "RLE_DICTIONARY")
        column, indices = cc.decode(page), cc.decode_indices(page)
        ways = {{
            "pandas": [column.to_pandas, indices.to_pandas],
            "polars": [column.to_polars, indices.to_polars],
            "pyarrow": [column.to_arrow, indices.to_arrow],
        }}
        for way in [*ways[{to!r}], lambda: cc.decode_frame({{"a": page}}, to={to.removeprefix("py")!r})]:
            try:
                way()
            except ModuleNotFoundError as error:
                assert error.name == {to!r}
                continue
            raise AssertionError(way)
        """,
    )


def test_pandas_without_pyarrow():
    """Python's own strings, objects and categories, and dataframes of them."""
    run_without(
        ("pyarrow", "polars"),
        """
        import pandas as pd
        import colcodec as cc

        tried.clear()  # pandas looks for pyarrow
        values = ["axis", None, "\\u00e4", "axis"]
        dtypes = {"object": object, "string": "string[python]", "category": "category", "default": None, "str": str}
        df = pd.DataFrame({name: pd.Series(values, dtype=dtype) for name, dtype in dtypes.items()})
        df["bytes"] = pd.Series([b"a", None, b"", b"\\xff"], dtype=object)
        df["number"] = range(4)
        for name in dtypes:
            for column in (df[name], pd.Index(df[name]), df[name].array):
                assert cc.column(column).to_pylist() == values, name
        assert cc.column(values).to_pandas().equals(df["default"])
        for encodings in ("PLAIN", "RLE_DICTIONARY"):
            pd.testing.assert_frame_equal(cc.decode_frame(cc.encode_frame(df, encodings)), df.drop(columns="number"))
        assert tried == []
        """,
    )


def test_polars_without_pyarrow():
    """All of it."""
    run_without(
        ("pyarrow", "pandas"),
        """
        import polars as pl
        import colcodec as cc

        tried.clear()  # polars looks for them
        values = ["axis", None, "\\u00e4", "axis"]
        df = pl.DataFrame({"text": values, "bytes": [b"a", None, b"", b"\\xff"], "number": range(4)})
        df = df.with_columns(pl.col("text").cast(dtype).alias(str(dtype)) for dtype in (
            pl.Categorical, pl.Enum(["\\u00e4", "never", "axis"])))
        for name in df.columns:
            if name not in ("bytes", "number"):
                assert cc.column(df[name]).to_pylist() == values, name
        assert cc.column(values).to_polars().equals(df["text"], null_equal=True)
        indices = cc.decode_indices(cc.encode(values, "RLE_DICTIONARY"))
        assert indices.to_polars().equals(df["Categorical"], null_equal=True)
        for encodings in ("PLAIN", "RLE_DICTIONARY"):
            assert cc.decode_frame(cc.encode_frame(df, encodings)).equals(df.drop("number"))
        assert tried == []
        """,
    )
