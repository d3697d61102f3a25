/* Do two results files hold the same, bit for bit?  same_results a.h5 b.h5 [tolerance]
 *
 * Every dataset of one must be in the other with the same type, shape and bytes, and every text
 * attribute too; only what tells of the run and not of the mechanism may differ: the summary, which
 * has clocks and counters of the process, and the date. With a tolerance numbers may differ by that part of the largest number of
 * their dataset, the settings (who solved) by anything. Exit code 0: the same, 1: not (says what).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  hid_t other;
  const char *name;
  int nset, different;
} comparison;

static double tolerance; /* 0: bit for bit */

/* all bytes of a dataset in the type of the file; *n: how many */
static char *bytes_of(hid_t set, size_t *n) {
  hid_t type = H5Dget_type(set), space = H5Dget_space(set);
  *n = H5Tget_size(type)*(size_t)H5Sget_simple_extent_npoints(space);
  char *bytes = calloc(*n + 1, 1);
  if (bytes && *n && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) < 0) {
    free(bytes);
    bytes = NULL;
  }
  H5Sclose(space);
  H5Tclose(type);
  return bytes;
}

static int same_sets(hid_t a, hid_t b) {
  hid_t ta = H5Dget_type(a), tb = H5Dget_type(b), sa = H5Dget_space(a), sb = H5Dget_space(b);
  int same = H5Tequal(ta, tb) > 0 && H5Sextent_equal(sa, sb) > 0;
  size_t na = 0, nb = 0;
  char *x = same ? bytes_of(a, &na) : NULL, *y = same ? bytes_of(b, &nb) : NULL;
  same = x && y && na == nb && memcmp(x, y, na) == 0;
  if (!same && x && y && na == nb && tolerance > 0 && H5Tequal(ta, H5T_NATIVE_DOUBLE) > 0) {
    const double *p = (const double *)(void *)x, *q = (const double *)(void *)y;
    double most = 0, size = 0;
    for (size_t i = 0; i < na/sizeof(double); i++) {
      if (p[i] == q[i] || (isnan(p[i]) && isnan(q[i]))) continue;
      if (!(fabs(p[i] - q[i]) <= most)) most = fabs(p[i] - q[i]);
    }
    for (size_t i = 0; i < na/sizeof(double); i++) size = fmax(size, fabs(p[i]));
    same = most <= tolerance*size;
    if (!same) printf("off by %.3g of %.3g: ", most, size);
  }
  free(x);
  free(y);
  H5Sclose(sa);
  H5Sclose(sb);
  H5Tclose(ta);
  H5Tclose(tb);
  return same;
}

static herr_t compare(hid_t file, const char *name, const H5O_info_t *info, void *user) {
  comparison *c = user;
  if (info->type != H5O_TYPE_DATASET || strcmp(name, "summary") == 0) return 0;
  if (tolerance > 0 && (strcmp(name, "settings") == 0 || strncmp(name, "checkpoints", 11) == 0)) return 0;
  hid_t a = H5Dopen2(file, name, H5P_DEFAULT), b = H5Dopen2(c->other, name, H5P_DEFAULT);
  c->nset++;
  if (a < 0 || b < 0 || !same_sets(a, b)) {
    if (c->different++ < 10) printf("%s: /%s differs or is missing\n", c->name, name);
  }
  if (a >= 0) H5Dclose(a);
  if (b >= 0) H5Dclose(b);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4) return 2;
  if (argc > 3) tolerance = atof(argv[3]);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  hid_t file[2];
  int nset[2], different = 0;
  for (int k = 0; k < 2; k++) {
    file[k] = H5Fopen(argv[1+k], H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file[k] < 0) {
      printf("%s: cannot be opened\n", argv[1+k]);
      return 1;
    }
  }
  for (int k = 0; k < 2; k++) {
    comparison c = {.other = file[1-k], .name = argv[1+k]};
    if (H5Ovisit(file[k], H5_INDEX_NAME, H5_ITER_NATIVE, compare, &c) < 0) different++;
    nset[k] = c.nset;
    different += c.different;
  }
  for (int k = 0; k < 2; k++) H5Fclose(file[k]);
  return different || nset[0] != nset[1] || nset[0] == 0;
}
