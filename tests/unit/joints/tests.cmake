set(unit_tests types ties)
