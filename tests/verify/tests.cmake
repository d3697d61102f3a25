set(unit_tests
  chain
  paths
  tangents)
