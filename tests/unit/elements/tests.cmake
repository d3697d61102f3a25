set(unit_tests elements turn)
