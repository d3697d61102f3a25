set(unit_tests elements annex plastic truss batch strips shell beam carried orders)
set(longer_tests plastic)
