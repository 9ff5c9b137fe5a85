"""parquet-java: its value writers and readers, with no file around them."""

import shutil
from contextlib import ExitStack
from pathlib import Path

from ...cases import Case
from ...measure import Contender, Process, Remote, UnequalError
from ..base import BUILD, MissingError, build, dump, files_of

FOLDER = BUILD / "parquet_java"
WARMUP_SECONDS = 2.0
JVM = ("-XX:+UseSerialGC", "-XX:+AlwaysPreTouch", "-Dslf4j.internal.verbosity=ERROR")
"""The collector with the cheapest barriers and no threads of its own, in memory that was touched beforehand."""
HEAP = ("-Xms1200m", "-Xmx4g", "-Xmn600m")
LARGE_HEAP = ("-Xms6g", "-Xmx9g", "-Xmn3g")
"""Room for the garbage of many runs over a column of 40 MB and more."""
INTEGERS = ("DELTA_BINARY_PACKED", "levels")
OTHER_RUNS = ("RLE_DICTIONARY", "levels")
"""Where Java cuts the hybrid's runs differently at the end, and takes no bits for the index of a single value."""


class ParquetJava:
    """``parquet-java``: from Binary values to a byte[], and from a page into one byte[] with offsets."""

    name = "parquet-java"

    def prepare(self) -> str:
        """Fetch the jars, build the program and give the version."""
        if shutil.which("java") is None:
            raise MissingError("java is not installed")
        build(Path(__file__).with_name("build.sh"), FOLDER, ["javac", "tar"])
        versions = [path.stem.removeprefix("parquet-column-") for path in (FOLDER / "jars").glob("parquet-column-*")]
        return f"parquet-java {versions[0]}"

    def contenders(self, case: Case, stack: ExitStack) -> dict[str, Contender]:
        """Check that we read what Java writes, of the same size as ours, and warm a JVM for this case alone.

        Its bytes differ from ours in padding and in the widths of unused miniblocks, where it leaves what was there;
        and in the ends of the hybrid of levels and indices, where the size may differ too.
        """
        subject = case.subject
        heap = HEAP if subject.column.data.nbytes < 40e6 else LARGE_HEAP
        classpath = f"{FOLDER / 'classes'}:{FOLDER / 'jars'}/*"
        command = ["java", *JVM, *heap, "-cp", classpath, "JavaPeer", files_of(subject.column)]
        process = stack.enter_context(Process(command))
        sections = dump(process, subject)
        if subject.encoding not in OTHER_RUNS and sections[""].size != subject.sections[""].size:
            raise UnequalError(f"parquet-java writes another size for {subject.encoding} of {subject.column.name}")
        for decode in subject.decoding(subject.page_of(sections)).values():
            subject.check(decode(), "colcodec on parquet-java's page")
        integers = subject.encoding in INTEGERS or case.operation == "decode indices"
        way = "integers" if integers else {"encode": "binary", "decode": "columnar"}[case.verb]
        contender = Remote(process, case.verb, subject.encoding, way)
        contender.measure(WARMUP_SECONDS)
        return {"parquet-java": contender}
