set(unit_tests elements)
