set(unit_tests ordering)
