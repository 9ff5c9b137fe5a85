#!/usr/bin/env bash
# build.sh PROGRAM [PYTHON]: builds arrow_peer against the pyarrow wheel that the interpreter imports.
# Environment: CXX (default g++; the headers of Arrow need C++20).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$1
python=${2:-python3}

include=$("$python" -c 'import pyarrow; print(pyarrow.get_include())')
wheel=$("$python" -c 'import pathlib, pyarrow; print(pathlib.Path(pyarrow.__file__).parent)')
library() { find "$wheel" -maxdepth 1 -name "$1.so.*" -printf '%f\n' | sort | head -n 1; }

mkdir -p "$(dirname "$program")"
"${CXX:-g++}" -std=c++20 -O3 -march=native -Wall -Wextra -isystem "$include" "$here/arrow_peer.cc" -o "$program" \
    -L"$wheel" -l:"$(library libparquet)" -l:"$(library libarrow)" -Wl,-rpath,"$wheel"
