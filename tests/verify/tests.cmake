set(unit_tests
  bennett
  bodies
  chain
  inverse
  orders
  paths
  redundancy
  references
  restart
  singular
  tangents)
set(longer_tests chain references)
