set(unit_tests read)
