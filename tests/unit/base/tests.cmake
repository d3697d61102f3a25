set(unit_tests base vec)
