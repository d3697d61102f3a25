set(room_files
  domains.c
  feti.c
  feti_dp.c
  pcg.c
  schur.c)
