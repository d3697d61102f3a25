set(unit_tests load spring)
