set(unit_tests base curve expr late table vec)
