"""What other libraries hold strings in, to `StringColumn` and back; `codec.column` finds the module for any values.

| module | in and out |
|---|---|
| `objects` | lists of str and bytes; the way out is the column's own |
| `numpy` | arrays of any dtype, for which it has `fixed_width` (U, S), `string_dtype` and `objects` |
| `arrow` | everything that has Arrow's PyCapsule interface, and pyarrow's arrays |
| `pandas`, `polars` | Series; those of polars come in as Arrow data |
| `indices` | what categoricals and Arrow's dictionary arrays are made of |
"""
