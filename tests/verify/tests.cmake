set(unit_tests
  chain
  inverse
  paths
  tangents)
