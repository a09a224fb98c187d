"""Num: an integer that remembers its derivation."""

from __future__ import annotations

import copy
import pickle

from ffncalc import formula
from ffncalc.formula import Num, call, product, total

D = Num(4096, "hidden_size")
W = Num(14336, "intermediate_size")


def test_a_product_shows_symbols_and_values() -> None:
    number = 3 * D * W
    assert number == 176_160_768
    assert (number.symbols, number.values) == ("3 × hidden_size × intermediate_size", "3 × 4096 × 14336")


def test_like_terms_are_added_up() -> None:
    assert (D * W + W * D + D * W).symbols == "3 × hidden_size × intermediate_size"
    assert (D + D - D).symbols == "hidden_size"


def test_a_sum_that_cancels_is_zero() -> None:
    assert ((D - D).symbols, int(D - D)) == ("0", 0)


def test_subtraction_keeps_its_sign() -> None:
    assert ((W - D).symbols, (W - D).values) == ("intermediate_size - hidden_size", "14336 - 4096")
    assert (5000 - D).symbols == "5000 - hidden_size"
    assert 5000 - D == 904


def test_a_sum_times_a_factor_is_multiplied_out() -> None:
    assert (2 * (D + 1)).symbols == "2 × hidden_size + 2"


def test_a_quotient_is_one_factor() -> None:
    head = D // Num(32, "num_attention_heads")
    assert (head, head.symbols, head.values) == (128, "(hidden_size / num_attention_heads)", "(4096 / 32)")
    assert (8 * head).symbols == "8 × (hidden_size / num_attention_heads)"
    assert (100_000 // D).symbols == "⌊100000 / hidden_size⌋"


def test_a_quotient_of_a_sum_has_parentheses() -> None:
    assert ((D + W) // 2).symbols == "((hidden_size + intermediate_size) / 2)"


def test_a_list_times_a_number_is_a_list() -> None:
    assert ["x"] * Num(3, "n") == ["x", "x", "x"]
    assert Num(2, "n") * ["x"] == ["x", "x"]


def test_a_float_times_a_number_is_a_float() -> None:
    assert (Num(3, "n") * 0.5, 0.5 * Num(3, "n")) == (1.5, 1.5)


def test_named_functions_show_their_arguments() -> None:
    assert call("min", 100, Num(100, "context"), D).symbols == "min(context, hidden_size)"


def test_totals_and_products_of_many_are_flat() -> None:
    assert (total([D, 0, W, D]), total([D, 0, W, D]).symbols) == (22528, "2 × hidden_size + intermediate_size")
    assert (product([2, D, W]), product([2, D]).values) == (117_440_512, "2 × 4096")
    assert (total([]), total([]).symbols, product([])) == (0, "0", 1)


def test_labels_are_the_leaves_in_order_each_once() -> None:
    assert formula.labels(2 * D * W + D // Num(32, "heads")) == ["hidden_size", "intermediate_size", "heads"]
    assert formula.labels(7) == []


def test_a_plain_int_is_its_own_derivation() -> None:
    assert (formula.symbols(7), formula.values(7)) == ("7", "7")


def test_a_number_survives_copying_and_pickling() -> None:
    number = 3 * D
    for twin in (copy.deepcopy(number), pickle.loads(pickle.dumps(number))):
        assert (twin, twin.symbols) == (12288, "3 × hidden_size")


def test_a_number_is_an_int_to_everyone_else() -> None:
    assert (f"{W:,}", W / D, hash(W), [0] * Num(2, "n") == [0] * 2) == ("14,336", 3.5, hash(14336), True)


def test_a_side_of_a_quotient_is_bracketed_unless_it_is_one_factor() -> None:
    a, b, c = Num(8, "a"), Num(2, "b"), Num(3, "c")
    assert ((a // b + c) // c).symbols == "⌊((a / b) + c) / c⌋"
    assert ((a // b) // b).symbols == "((a / b) / b)"
    assert ((2 * a) // b).values == "((2 × 8) / 2)"
    assert (16 // b).symbols == "(16 / b)"


def test_a_quotient_that_is_cut_says_so() -> None:
    image, patch = Num(384, "image_size"), Num(14, "patch_size")
    rows = image // patch
    assert (rows, rows.values, (rows * rows).symbols) == (
        27, "⌊384 / 14⌋", "⌊image_size / patch_size⌋ × ⌊image_size / patch_size⌋",
    )  # fmt: skip
    assert (image // Num(16, "patch_size")).values == "(384 / 16)"
