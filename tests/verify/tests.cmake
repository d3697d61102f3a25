set(unit_tests
  bennett
  bodies
  chain
  contact
  inverse
  orders
  paths
  redundancy
  references
  restart
  singular
  tangents)
set(longer_tests chain references)
