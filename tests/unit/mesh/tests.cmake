set(unit_tests cell generate mesh msh skin)
set(longer_tests msh)
