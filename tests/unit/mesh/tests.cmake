set(unit_tests cell decompose generate inp join mesh msh skin)
set(longer_tests generate inp msh)
