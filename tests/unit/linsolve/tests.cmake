set(unit_tests chain kkt krylov rank saddle sparse)
