set(unit_tests section)
