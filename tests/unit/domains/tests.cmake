set(unit_tests feti)
set(longer_tests feti)
