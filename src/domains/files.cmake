set(room_files
  domains.c
  feti.c
  feti_dp.c
  schur.c)
