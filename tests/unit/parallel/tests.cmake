set(unit_tests comm)
