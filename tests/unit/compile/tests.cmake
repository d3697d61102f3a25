set(unit_tests compile)
