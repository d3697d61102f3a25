set(room_files augmented.c baumgarte.c common.c list.c natural.c partitioning.c penalty.c solved.c staggered.c)
