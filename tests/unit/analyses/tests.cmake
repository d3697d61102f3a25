set(unit_tests auto)
