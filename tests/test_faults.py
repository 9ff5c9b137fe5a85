"""Which test covers which of the faults that others shipped: the ids are those of ``../shared/known-faults.md``."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

FAULTS = {
    "A1": [
        "encodings/test_delta_binary_packed.py::test_any_legal_page",
        "encodings/test_delta_binary_packed.py::test_junk_widths_of_unused_miniblocks",
    ],
    "A2": [
        "encodings/test_delta_binary_packed.py::test_any_legal_page",
        "encodings/test_delta_binary_packed.py::test_junk_widths_of_unused_miniblocks",
    ],
    "A3": ["encodings/test_delta_binary_packed.py::test_sizes_at_the_edges_of_blocks"],
    "A4": [
        "encodings/test_delta_binary_packed.py::test_sizes_at_the_edges_of_blocks",
        "encodings/test_delta_binary_packed.py::test_padding_is_consumed",
        "encodings/test_delta_binary_packed.py::test_last_miniblock_without_its_padding",
    ],
    "A5": [
        "encodings/test_delta_binary_packed.py::test_padding_is_consumed",
        "encodings/test_delta_byte_array.py::test_data_begins_after_both_streams",
        "encodings/test_delta_length_byte_array.py::test_data_begins_after_the_used_miniblocks",
    ],
    "A7": ["encodings/test_delta_length_byte_array.py::test_data_begins_after_the_used_miniblocks"],
    "A8": [
        "encodings/test_delta_binary_packed.py::test_sizes_at_the_edges_of_blocks",
        "encodings/test_delta_binary_packed.py::test_one_value_has_no_block",
    ],
    "A9": ["test_stream.py::test_batches_are_slices_of_the_column"],
    "A10": ["encodings/test_delta_binary_packed.py::test_sizes_at_the_edges_of_blocks"],
    "A11": [
        "encodings/test_delta_binary_packed.py::test_no_values",
        "encodings/test_delta_byte_array.py::test_no_values",
        "encodings/test_delta_byte_array.py::test_no_values_and_no_bytes",
    ],
    "A12": [
        "encodings/test_delta_binary_packed.py::test_no_values",
        "encodings/test_delta_byte_array.py::test_no_values",
        "encodings/test_delta_length_byte_array.py::test_no_values",
    ],
    "A13": [
        "encodings/test_delta_binary_packed.py::test_no_values",
        "encodings/test_delta_byte_array.py::test_no_values",
        "encodings/test_delta_byte_array.py::test_no_values_and_no_bytes",
    ],
    "A14": [
        "encodings/test_delta_binary_packed.py::test_missing_pieces",
        "encodings/test_delta_byte_array.py::test_no_values_and_no_bytes",
        "encodings/test_delta_length_byte_array.py::test_empty_strings",
    ],
    "A15": [
        "encodings/test_delta_binary_packed.py::test_another_count_than_expected",
        "encodings/test_delta_byte_array.py::test_another_count_than_expected",
        "encodings/test_delta_length_byte_array.py::test_another_count_than_expected",
    ],
    "A16": ["encodings/test_delta_binary_packed.py::test_another_count_than_expected"],
    "A17": [
        "encodings/test_delta_binary_packed.py::test_illegal_geometry",
        "encodings/test_delta_byte_array.py::test_illegal_geometry_in_either_stream",
    ],
    "A18": ["encodings/test_delta_binary_packed.py::test_width_beyond_the_type"],
    "A20": ["test_levels.py::test_little_memory", "test_malformed.py::test_claims_without_bytes"],
    "A21": ["test_malformed.py::test_claims_without_bytes", "test_malformed.py::test_millions_of_miniblocks"],
    "A22": ["encodings/test_delta_binary_packed.py::test_constant_columns_take_no_bits"],
    "A23": ["encodings/test_delta_binary_packed.py::test_constant_columns_take_no_bits"],
    "A24": [
        "encodings/test_delta_binary_packed.py::test_any_legal_page",
        "encodings/test_delta_binary_packed.py::test_geometries",
        "test_interop.py::test_strings_of_duckdb",
    ],
    "A26": [
        "encodings/test_delta_binary_packed.py::test_any_legal_page",
        "encodings/test_delta_binary_packed.py::test_geometries",
        "test_interop.py::test_strings_of_duckdb",
    ],
    "A27": ["encodings/test_delta_binary_packed.py::test_illegal_geometry"],
    "A29": [
        "encodings/test_delta_binary_packed.py::test_pages_are_independent",
        "encodings/test_delta_byte_array.py::test_pages_are_independent",
    ],
    "A30": ["encodings/test_delta_binary_packed.py::test_pages_are_independent"],
    "A31": [
        "encodings/test_delta_byte_array.py::test_more_leading_nulls_than_a_block",
        "encodings/test_delta_length_byte_array.py::test_more_leading_nulls_than_a_block",
    ],
    "A33": [
        "encodings/test_delta_binary_packed.py::test_sizes_at_the_edges_of_blocks",
        "test_malformed.py::test_long_miniblocks_are_unpacked_only_as_far_as_needed",
    ],
    "B1": [
        "encodings/test_delta_binary_packed.py::test_deltas_wrap",
        "encodings/test_delta_binary_packed.py::test_int32_widths_stay_within_32_bits",
        "encodings/test_delta_binary_packed.py::test_int32_width_beyond_32_bits",
    ],
    "B2": [
        "encodings/test_delta_binary_packed.py::test_deltas_wrap",
        "encodings/test_delta_length_byte_array.py::test_wrapping_deltas_of_lengths",
    ],
    "B3": [
        "encodings/test_delta_binary_packed.py::test_deltas_wrap",
        "encodings/test_delta_binary_packed.py::test_int32_width_beyond_32_bits",
        "encodings/test_delta_binary_packed.py::test_int32_deltas_computed_in_64_bits",
    ],
    "B4": ["encodings/test_delta_binary_packed.py::test_deltas_wrap"],
    "B6": [
        "encodings/test_delta_binary_packed.py::test_deltas_wrap",
        "encodings/test_delta_binary_packed.py::test_negative_deltas",
    ],
    "B8": ["encodings/test_delta_binary_packed.py::test_every_bit_width"],
    "B9": [
        "encodings/test_delta_binary_packed.py::test_long_varints",
        "encodings/test_delta_binary_packed.py::test_varints_with_bits_beyond_the_type",
    ],
    "B10": ["encodings/test_delta_binary_packed.py::test_width_beyond_the_type"],
    "C1": [
        "encodings/test_delta_byte_array.py::test_negative_suffixes",
        "encodings/test_delta_length_byte_array.py::test_negative_lengths",
        "encodings/test_delta_length_byte_array.py::test_lengths_beyond_the_bytes",
    ],
    "C2": [
        "encodings/test_delta_length_byte_array.py::test_lengths_of_present_values_alone",
        "encodings/test_plain.py::test_nulls_are_not_in_the_page",
    ],
    "C3": [
        "encodings/test_delta_byte_array.py::test_no_values",
        "encodings/test_delta_length_byte_array.py::test_no_values",
    ],
    "C4": [
        "encodings/test_delta_length_byte_array.py::test_page_cut_in_its_bytes",
        "test_stream.py::test_every_prefix",
    ],
    "C6": ["test_stream.py::test_batches_are_slices_of_the_column"],
    "C7": ["encodings/test_delta_length_byte_array.py::test_text_is_checked_by_value"],
    "C9": ["encodings/test_delta_length_byte_array.py::test_text_is_checked_by_value"],
    "C10": ["encodings/test_delta_length_byte_array.py::test_text_is_checked_by_value"],
    "C11": ["encodings/test_delta_length_byte_array.py::test_lengths_of_present_values_alone"],
    "C12": [
        "encodings/test_byte_stream_split.py::test_bound_is_the_size",
        "encodings/test_delta_binary_packed.py::test_bound_holds",
        "encodings/test_delta_byte_array.py::test_bound_holds",
    ],
    "D1": ["encodings/test_delta_byte_array.py::test_first_prefix_is_zero"],
    "D2": ["encodings/test_delta_byte_array.py::test_first_prefix_is_zero"],
    "D3": [
        "encodings/test_delta_byte_array.py::test_pages_are_independent",
        "encodings/test_delta_byte_array.py::test_first_prefix_is_zero",
    ],
    "D4": [
        "encodings/test_delta_byte_array.py::test_prefix_longer_than_the_value_before",
        "encodings/test_delta_byte_array.py::test_negative_prefixes",
    ],
    "D5": [
        "encodings/test_delta_byte_array.py::test_prefix_longer_than_the_value_before",
        "encodings/test_delta_byte_array.py::test_negative_prefixes",
    ],
    "D6": ["encodings/test_delta_byte_array.py::test_suffixes_beyond_the_bytes"],
    "D8": [
        "encodings/test_delta_byte_array.py::test_many_whole_blocks",
        "encodings/test_delta_byte_array.py::test_another_count_than_expected",
    ],
    "D9": ["encodings/test_delta_byte_array.py::test_pages_are_independent"],
    "D10": [
        "kernels/test_prefix.py::test_goes_on_behind_any_value",
        "test_stream.py::test_batches_are_slices_of_the_column",
    ],
    "D13": [
        "encodings/test_delta_byte_array.py::test_negative_suffixes",
        "encodings/test_delta_byte_array.py::test_suffixes_beyond_the_bytes",
        "encodings/test_delta_length_byte_array.py::test_lengths_beyond_the_bytes",
    ],
    "D14": [
        "encodings/test_delta_byte_array.py::test_prefix_longer_than_the_value_before",
        "encodings/test_delta_byte_array.py::test_suffix_stream_is_missing",
        "test_hostile_corpus.py::test_bad_files_of_the_corpus",
    ],
    "D15": ["encodings/test_delta_byte_array.py::test_counts_that_differ"],
    "D16": ["kernels/test_prefix.py::test_goes_on_behind_any_value"],
    "D18": [
        "encodings/test_delta_byte_array.py::test_any_values_of_one_length",
        "encodings/test_delta_byte_array.py::test_every_value_has_the_length",
        "encodings/test_delta_byte_array.py::test_another_length_than_all_values_have",
    ],
    "D19": ["test_interop.py::test_values_of_one_length_are_read_by"],
    "D20": [
        "encodings/test_delta_byte_array.py::test_pages_are_independent",
        "test_interop.py::test_pages_may_change_their_encoding",
    ],
    "D21": ["test_interop.py::test_required_strings_are_read_by"],
    "D23": ["encodings/test_delta_byte_array.py::test_max_data_size"],
    "E1": [
        "encodings/test_rle_dictionary.py::test_a_width_of_zero",
        "parquet/test_corpus.py::test_pages_of_all_types",
        "parquet/test_read_column.py::test_flat_columns",
    ],
    "E3": [
        "encodings/test_rle_dictionary.py::test_pages_without_values",
        "parquet/test_read_column.py::test_flat_columns",
    ],
    "E4": ["encodings/test_rle_dictionary.py::test_widths_above_32", "encodings/test_rle_dictionary.py::test_no_bytes"],
    "E5": ["kernels/test_bitpack.py::test_bits_beyond_2_to_the_31"],
    "E7": ["encodings/test_rle_dictionary.py::test_padding_is_not_looked_at"],
    "E8": [
        "encodings/test_rle_dictionary.py::test_long_runs",
        "encodings/test_rle_dictionary.py::test_padding_is_not_looked_at",
        "parquet/test_read_column.py::test_fastparquet",
    ],
    "E9": ["parquet/test_read_column.py::test_fastparquet"],
    "E11": ["kernels/test_rle.py::test_values_of_runs", "parquet/test_read_column.py::test_dictionaries_of_many_sizes"],
    "E12": [
        "encodings/test_rle_dictionary.py::test_runs_of_nothing",
        "kernels/test_rle.py::test_limits_of_headers",
        "kernels/test_rle.py::test_runs_of_nothing_end",
    ],
    "E14": [
        "encodings/test_rle_dictionary.py::test_empty_strings_and_nulls",
        "parquet/test_read_column.py::test_flat_columns",
    ],
    "E15": [
        "encodings/test_rle_dictionary.py::test_empty_strings_and_nulls",
        "parquet/test_read_column.py::test_flat_columns",
    ],
    "E16": [
        "encodings/test_rle_dictionary.py::test_pages_without_values",
        "parquet/test_corpus.py::test_pages_of_all_types",
        "parquet/test_read_column.py::test_few_rows",
    ],
    "E17": [
        "encodings/test_rle_dictionary.py::test_pages_without_values",
        "parquet/test_read_column.py::test_flat_columns",
    ],
    "E18": ["test_hostile_corpus.py::test_hostile_files"],
    "E19": ["encodings/test_rle_dictionary.py::test_indices_behind_the_dictionary"],
    "E20": [
        "encodings/test_rle_dictionary.py::test_pages_of_several_kinds",
        "parquet/test_read_column.py::test_dictionary_that_is_given_up",
        "test_interop.py::test_pages_may_change_their_encoding",
    ],
    "E21": [
        "encodings/test_rle_dictionary.py::test_pages_of_several_kinds",
        "parquet/test_read_column.py::test_dictionary_that_is_given_up",
    ],
    "E22": ["parquet/test_read_column.py::test_many_row_groups"],
    "E24": [
        "encodings/test_rle_dictionary.py::test_sizes_of_dictionaries_do_not_wrap",
        "encodings/test_rle_dictionary.py::test_dictionary_pages_that_are_larger_than_a_page_can_be",
    ],
    "E26": [
        "encodings/test_rle_dictionary.py::test_widths_of_indices",
        "encodings/test_rle_dictionary.py::test_long_runs",
        "parquet/test_read_column.py::test_fastparquet",
    ],
    "E28": [
        "parquet/test_writer.py::test_statistics_are_of_the_values_of_a_row_group",
        "encodings/test_rle_dictionary.py::test_a_dictionary_in_any_form",
    ],
    "E29": [
        "encodings/test_rle_dictionary.py::test_widths_of_indices",
        "kernels/test_rle.py::test_values_of_runs",
        "parquet/test_read_column.py::test_dictionaries_of_many_sizes",
    ],
    "F1": [
        "encodings/test_delta_length_byte_array.py::test_more_than_2_gib",
        "test_large.py::test_more_than_an_int32_of_bytes",
    ],
    "F2": ["convert/test_arrow.py::test_offsets_that_do_not_fit"],
    "F4": ["encodings/test_delta_length_byte_array.py::test_a_value_too_long_for_the_format"],
    "F5": ["parquet/test_compression.py::test_sizes_that_lie", "parquet/test_compression.py::test_frames_that_lie"],
    "F6": ["parquet/test_writer.py::test_a_page_too_large_for_its_header"],
    "F8": [
        "encodings/test_byte_stream_split.py::test_sizes_that_overflow_32_bits",
        "encodings/test_byte_stream_split.py::test_max_data_size",
        "encodings/test_delta_byte_array.py::test_max_data_size",
    ],
    "F10": ["encodings/test_delta_byte_array.py::test_another_length_than_all_values_have"],
    "F12": [
        "parquet/test_read_column.py::test_a_value_of_more_than_64_mib",
        "test_large.py::test_more_than_an_int32_of_bytes",
    ],
    "F13": [
        "parquet/test_compression.py::test_pages_without_bytes",
        "parquet/test_corpus.py::test_pages_of_all_types",
        "parquet/test_read_column.py::test_flat_columns",
    ],
    "G2": [
        "parquet/test_corpus.py::test_pages_of_all_types",
        "parquet/test_read_column.py::test_nested_columns",
        "test_hostile_corpus.py::test_bad_files_of_the_corpus",
    ],
    "G3": ["test_hostile_corpus.py::test_hostile_files"],
    "G4": ["parquet/test_read_column.py::test_nested_columns", "test_levels.py::test_too_few_levels"],
    "G6": ["parquet/test_corpus.py::test_pages_of_all_types", "parquet/test_read_column.py::test_flat_columns"],
    "G7": ["parquet/test_read_column.py::test_flat_columns", "test_levels.py::test_all_present_and_none"],
    "G8": ["parquet/test_read_column.py::test_few_rows"],
    "G10": ["test_interop.py::test_fixed_length_byte_array_of_parquet_java"],
    "G11": [
        "parquet/test_corpus.py::test_pages_of_all_types",
        "parquet/test_read_column.py::test_flat_columns",
        "test_interop.py::test_dictionaries_are_those_of_pyarrow",
    ],
    "H2": ["parquet/test_read_column.py::test_text_that_is_not_utf8"],
    "H4": [
        "parquet/test_statistics.py::test_text_is_cut",
        "parquet/test_writer.py::test_other_readers_see_the_same_statistics",
        "parquet/test_recode.py::test_metadata_that_is_not_of_places_stays",
    ],
    "H5": [
        "parquet/test_writer.py::test_created_by_can_be_parsed",
        "parquet/test_recode.py::test_pages_whose_meaning_hangs_on_who_wrote_them",
    ],
    "H6": [
        "parquet/test_recode.py::test_extremes_that_readers_do_not_believe",
        "parquet/test_inspect.py::test_the_least_value_is_held_against_the_greatest_in_their_own_order",
    ],
    "H7": ["parquet/test_recode.py::test_metadata_that_is_not_of_places_stays"],
    "I1": [
        "parquet/test_recode.py::test_bloom_filters_move",
        "parquet/test_recode.py::test_bloom_filters_of_duckdb_still_filter",
    ],
    "I2": [
        "parquet/test_recode.py::test_indexes_move",
        "parquet/test_recode.py::test_an_offset_index_of_pages_that_are_not_there",
    ],
    "I4": ["parquet/test_recode.py::test_wrong_offsets_become_right"],
    "I7": ["parquet/test_recode.py::test_wrong_offsets_become_right", "parquet/test_recode.py::test_offsets_and_sums"],
    "I8": [
        "parquet/test_recode.py::test_nulls_alone_need_no_dictionary",
        "parquet/test_inspect.py::test_a_dictionary_page_offset_without_a_dictionary_page",
    ],
    "I9": ["parquet/test_recode.py::test_offsets_and_sums"],
    "I10": ["parquet/test_recode.py::test_offsets_and_sums"],
    "I11": [
        "parquet/test_recode.py::test_columns_are_chosen",
        "parquet/test_recode.py::test_misuse_is_told_before_anything_is_written",
        "parquet/test_recode.py::test_a_full_disk",
    ],
    "I14": ["parquet/test_thrift.py::test_empty_list_without_a_type"],
    "I15": [
        "parquet/test_thrift.py::test_field_of_another_type",
        "parquet/test_thrift.py::test_bad_bool_in_a_list",
        "parquet/test_thrift.py::test_integers_that_are_too_large",
    ],
    "I16": ["parquet/test_corpus.py::test_checksums"],
    "I17": ["parquet/test_recode.py::test_levels_stay_byte_for_byte"],
    "J1": ["convert/test_numpy.py::test_trailing_nuls_are_padding_and_others_are_text"],
    "J2": ["convert/test_numpy.py::test_trailing_nuls_are_padding_and_others_are_text"],
    "J3": ["convert/test_numpy.py::test_trailing_nuls_are_padding_and_others_are_text"],
    "J4": ["convert/test_numpy.py::test_fixed_width_refuses_values_that_would_not_come_back"],
    "J5": [
        "convert/test_python_objects.py::test_lone_surrogates_are_refused",
        "convert/test_numpy.py::test_code_points_that_are_no_text",
    ],
    "J6": [
        "convert/test_numpy.py::test_code_points_that_are_no_text",
        "convert/test_numpy.py::test_code_points_at_the_edges",
    ],
    "J7": ["convert/test_python_objects.py::test_all_kinds_of_null_together"],
    "J8": ["convert/test_python_objects.py::test_all_kinds_of_null_together"],
    "J9": ["convert/test_python_objects.py::test_values_of_another_type_are_refused"],
    "J10": [
        "convert/test_python_objects.py::test_every_kind_of_null",
        "convert/test_python_objects.py::test_values_of_another_type_are_refused",
    ],
    "J11": [
        "convert/test_string_dtype.py::test_missing_is_null",
        "convert/test_string_dtype.py::test_missing_that_is_text_is_text",
    ],
    "J13": ["convert/test_numpy.py::test_a_field_and_a_transposed_row", "convert/test_matrix.py::test_in"],
    "J14": ["convert/test_numpy.py::test_a_field_and_a_transposed_row"],
    "J15": ["convert/test_matrix.py::test_in"],
    "J16": ["convert/test_pandas.py::test_nulls_are_what_was_asked_for"],
    "J17": ["convert/test_arrow.py::test_other_producers", "convert/test_arrow.py::test_malformed_views"],
    "J18": ["convert/test_arrow.py::test_requested_types"],
    "J19": [
        "convert/test_arrow.py::test_slices",
        "convert/test_arrow.py::test_no_values_need_no_buffers",
        "convert/test_arrow.py::test_offsets_need_not_begin_at_zero",
    ],
    "J20": ["convert/test_matrix.py::test_in"],
    "J21": ["convert/test_arrow.py::test_slices", "convert/test_arrow.py::test_dictionaries"],
    "J22": [
        "convert/test_arrow.py::test_dictionaries",
        "convert/test_indices.py::test_bytes_under_nulls_and_around_a_slice",
    ],
    "J24": ["test_frame.py::test_values_that_cannot_be_encoded", "parquet/test_corpus.py::test_errors_say_where"],
}

NOT_TESTED = {
    "A28": "the geometry of blocks is not an option: pages have that of Arrow",
    "A34": "a matter of speed; that constant columns take no bits is A22",
    "C14": "what Spark reads is in colcodec/readers.py",
    "E27": "a matter of Arrow's schema",
    "I12": "a wish, which recode fulfils",
    "I13": "a wish, which recode fulfils",
    "J12": "a matter of speed",
    "J23": "machines that are big-endian are not supported",
}
"""Faults without a test, and why."""


def names_in(path):
    """Name the tests of a file."""
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_tests_are_there(fault):
    assert FAULTS[fault]
    for test in FAULTS[fault]:
        path, name = test.split("::")
        assert name in names_in(path)


def test_every_known_fault_is_in_one_table(shared):
    known = re.findall(r"^\| ([A-K]\d+) \|", (shared / "known-faults.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(known) == 150
    assert sorted(known) == sorted([*FAULTS, *NOT_TESTED])
