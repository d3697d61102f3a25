set(unit_tests elements annex plastic truss batch shell beam carried orders)
set(longer_tests plastic)
