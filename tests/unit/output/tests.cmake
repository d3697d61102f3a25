set(unit_tests axis crash csv json mutated others plot results scene select)
set(longer_tests mutated)
