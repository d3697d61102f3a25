set(unit_tests ordering tree)
