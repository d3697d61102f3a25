set(unit_tests types)
