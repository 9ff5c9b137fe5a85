"""Speed of colcodec beside other implementations, in the same run: ``python -m bench`` (see README.md here)."""
