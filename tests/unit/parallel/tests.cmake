set(unit_tests behind comm)
