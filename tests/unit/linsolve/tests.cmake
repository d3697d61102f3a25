set(unit_tests kkt rank saddle)
