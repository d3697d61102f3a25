set(unit_tests base expr vec)
