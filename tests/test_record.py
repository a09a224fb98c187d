"""Records compare and hash by their fields; a lazy property is worked out once, and is no field."""

from __future__ import annotations

from dataclasses import field, replace

from ffncalc.ir import Role, Tensor
from ffncalc.record import lazy, record

WORKED: list[int] = []


@record(frozen=True, kw_only=True)
class Square:
    side: int
    unit: str = field(default="m", compare=False)

    @lazy
    def area(self) -> int:
        """Side × side."""
        WORKED.append(self.side)
        return self.side * self.side


def test_equal_fields_make_equal_records() -> None:
    one, same, other = Square(side=3), Square(side=3, unit="ft"), Square(side=4)
    assert one == same != other
    assert {one: "three"}[same] == "three"
    assert repr(other) == "Square(side=4, unit='m')"


def test_a_lazy_property_is_worked_out_once_and_not_copied() -> None:
    WORKED.clear()
    square = Square(side=3)
    assert (square.area, square.area, WORKED) == (9, 9, [3])
    assert square == Square(side=3)
    assert (replace(square, side=5).area, WORKED) == (25, [3, 5])
    assert Square.area.__doc__ == "Side × side."


def test_tensors_are_records() -> None:
    one, same = (Tensor("a.weight", (2, 3), Role.DENSE) for _ in range(2))
    assert one.size == 6
    assert one == same
    assert hash(one) == hash(same)
    assert one != same.moved("b")
