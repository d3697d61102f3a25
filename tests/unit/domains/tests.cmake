set(unit_tests coarse engine feti feti_reduced ranks)
set(longer_tests feti feti_reduced)
