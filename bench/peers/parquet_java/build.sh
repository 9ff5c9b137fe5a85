#!/usr/bin/env bash
# build.sh FOLDER [PYTHON]: fetches parquet-java into FOLDER/jars and builds JavaPeer into FOLDER/classes.
# The jars are those of the pyspark package (450 MB, fetched once by pip and not kept). Needs a JDK, 17 or later.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1
python=${2:-python3}
pyspark=4.3.0 # with parquet-java 1.17.0

if [ ! -e "$folder/jars" ]; then
    partial=$folder/partial
    rm -rf "$partial"
    mkdir -p "$partial/jars"
    "$python" -m pip download --quiet --no-deps --no-binary :all: --dest "$partial" "pyspark==$pyspark"
    tar -xzf "$partial/pyspark-$pyspark.tar.gz" -C "$partial/jars" --strip-components=3 --wildcards \
        '*/jars/parquet-column-*' '*/jars/parquet-common-*' '*/jars/parquet-encoding-*' \
        '*/jars/parquet-format-structures-*' '*/jars/slf4j-api-*'
    mv "$partial/jars" "$folder/jars"
    rm -rf "$partial"
fi
javac -cp "$folder/jars/*" -d "$folder/classes" "$here/JavaPeer.java"
