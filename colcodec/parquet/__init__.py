"""String columns of Parquet files: read and written, looked into, and encoded anew."""
