set(unit_tests section laws read)
