"""Which sites become mutants, and what a source with mutants looks like."""
import pathlib
import sys
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "tests/mutation"))
import plant  # noqa: E402
from plant import Edit, Site  # noqa: E402


def site(start, end, before, after, line=1):
    edits = [Edit(start, start, before, False, end - start), Edit(end, end, after, True, end - start)]
    return Site("a.cpp", line, start + 1, "constant", "0 -> 1", edits)


class Mutated(unittest.TestCase):
    def test_nests_sites_that_begin_or_end_together(self):
        source = b"a < b"
        whole = site(0, 5, "N@(", ")")
        comparison = site(0, 5, "L@(", ")")
        comparison.edits.append(Edit(2, 3, ","))
        left, right = site(0, 1, "x@(", ")"), site(4, 5, "y@(", ")")
        self.assertEqual(plant.mutated(source, [(1, whole), (2, comparison), (3, left), (4, right)]), b"N1(L2(x3(a) , y4(b)))")
        self.assertEqual(plant.mutated(source, [(9, left)]), b"x9(a) < b")
        self.assertEqual(plant.mutated(source, []), source)

    def test_keeps_neighbors_apart(self):
        self.assertEqual(plant.mutated(b"ab", [(1, site(1, 2, "r@(", ")")), (2, site(0, 1, "l@(", ")"))]), b"l2(a)r1(b)")


class Choose(unittest.TestCase):
    FOUND = {"many": [site(0, 1, "", "", line) for line in range(90)], "few": [site(5, 6, "", "", line) for line in range(10)]}

    def test_takes_of_each_folder_in_proportion(self):
        chosen = plant.choose(self.FOUND, 20, refused=set())
        self.assertEqual(sum(each.column == 1 for each in chosen), 18)
        self.assertEqual(len({plant.key(each) for each in chosen}), 20)

    def test_depends_on_the_sources_alone(self):
        again = {folder: sites[::-1] for folder, sites in self.FOUND.items()}
        self.assertEqual(plant.choose(again, 20, set()), plant.choose(self.FOUND, 20, set()))

    def test_replaces_what_does_not_compile(self):
        refused = {plant.key(each) for each in plant.choose(self.FOUND, 20, set())}
        chosen = plant.choose(self.FOUND, 20, refused)
        self.assertEqual(len(chosen), 20)
        self.assertFalse(refused & {plant.key(each) for each in chosen})


if __name__ == "__main__":
    unittest.main()
