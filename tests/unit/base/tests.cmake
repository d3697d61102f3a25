set(unit_tests base curve expr kinks late table vec)
