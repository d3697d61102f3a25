set(unit_tests base curve expr table vec)
