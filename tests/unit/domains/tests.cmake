set(unit_tests engine feti feti_reduced)
set(longer_tests feti feti_reduced)
