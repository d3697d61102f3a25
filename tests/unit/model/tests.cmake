set(unit_tests measures spec)
