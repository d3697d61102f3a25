set(unit_tests scalar)
