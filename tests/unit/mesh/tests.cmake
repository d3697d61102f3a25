set(unit_tests cell decompose generate inp mesh msh skin)
set(longer_tests generate inp msh)
