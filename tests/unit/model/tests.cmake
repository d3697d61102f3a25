set(unit_tests measures)
