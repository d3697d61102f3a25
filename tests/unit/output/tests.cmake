set(unit_tests axis crash crew csv fields frames json mutated others plot results select vtk)
set(longer_tests mutated)
