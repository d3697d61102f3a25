set(unit_tests advise check_mesh analysis auto)
set(longer_tests advise)
