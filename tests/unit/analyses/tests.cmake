set(unit_tests analysis auto)
