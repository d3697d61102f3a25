set(unit_tests elements annex plastic truss batch shell beam orders)
set(longer_tests plastic)
