set(unit_tests kkt)
