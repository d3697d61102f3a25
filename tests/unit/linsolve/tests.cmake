set(unit_tests kkt krylov rank saddle sparse)
