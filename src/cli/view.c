/* cli/view.c - tenon view: an animated page of a run
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

static tn_status write_bytes(void *user, const char *bytes, size_t n) {
  return fwrite(bytes, 1, n, user) == n ? TN_OK : TN_ERR_IO;
}

static int write_page(cli *c, tn_scene *scene, const char *path, const char *results) {
  cli_out o;
  int code = cli_out_begin(c, &o, path, results);
  if (code) return code;
  tn_status st = tn_scene_write_page(scene, write_bytes, o.file);
  if (st != TN_OK && st != TN_ERR_IO) cli_fail(c, st);
  return cli_out_end(c, &o, st == TN_OK || st == TN_ERR_IO);
}

bool cli_open_browser(const char *address, bool wait) {
  const char *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
  if (!(display && display[0]) && !(wayland && wayland[0])) return false;
  pid_t child = fork();
  if (child == 0) {
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3 && null >= 0; fd++) dup2(null, fd);
    /* not waited for: a child of a child, which nobody has to collect */
    if (!wait && fork() > 0) _exit(0);
    execlp("xdg-open", "xdg-open", address, (char *)NULL);
    _exit(127);
  }
  int status;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

/* a new folder that only the user can read, with a page named after the results */
static bool temporary_page(const char *results, char *path, size_t n) {
  const char *place = getenv("TMPDIR"), *slash = strrchr(results, '/');
  const char *name = slash ? slash + 1 : results, *dot = strrchr(name, '.');
  char folder[2048];
  snprintf(folder, sizeof(folder), "%s/tenon-view-XXXXXX", place && place[0] ? place : "/tmp");
  if (!mkdtemp(folder)) {
    fprintf(stderr, "tenon: cannot make a folder in '%s': %s\n", place ? place : "/tmp", strerror(errno));
    return false;
  }
  int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
  snprintf(path, n, "%s/%.*s.html", folder, length, name);
  return true;
}

typedef struct {
  const char *results, *html, *png, *video, *look, *show, *color, *clip;
  bool dark;
  double time, speed, scale, mode; /* -1: as the page likes */
  int width, height;
} arguments;

/* width and height of "1280x720" */
static bool read_size(const char *text, int *width, int *height) {
  char rest;
  return sscanf(text, "%dx%d%c", width, height, &rest) == 2 && *width >= 64 && *width <= 7680 &&
         *height >= 64 && *height <= 4320;
}

static bool is_word(const char *text) { /* goes into a script: letters and commas only */
  return text[strspn(text, "abcdefghijklmnopqrstuvwxyz,")] == 0;
}

static bool is_name(const char *text) { /* "von Mises stress", "stress.xx" */
  return strlen(text) < 80 && text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ")] == 0;
}

/* "x", "y=0.3", "-z=0.5": axis, and where along it, 0 to 1 */
static bool read_clip(const char *text, char *axis, double *at, int *side) {
  char rest;
  *side = text[0] == '-' ? -1 : 1;
  text += text[0] == '-';
  *at = 0.5;
  *axis = text[0];
  if (!strchr("xyz", text[0]) || !text[0]) return false;
  if (!text[1]) return true;
  return text[1] == '=' && sscanf(text + 2, "%lf%c", at, &rest) == 1 && *at >= 0 && *at <= 1;
}

static int parse(cli *c, int argc, char **argv, arguments *a) {
  const char *size = NULL, *time = NULL;
  const cli_opt option[] = {{"--html", .text = &a->html},   {"--png", .text = &a->png},
                            {"--video", .text = &a->video}, {"--view", .text = &a->look},
                            {"--show", .text = &a->show},   {"--size", .text = &size},
                            {"--time", .text = &time},      {"--speed", .number = &a->speed},
                            {"--dark", .flag = &a->dark},   {"--color", .text = &a->color},
                            {"--clip", .text = &a->clip},   {"--scale", .number = &a->scale},
                            {"--mode", .number = &a->mode}};
  int n, code = cli_parse(c, &cli_view, argc, argv, option, sizeof(option)/sizeof(option[0]),
                          "results file", &a->results, 1, &n);
  if (code) return code;
  if (n == 0) return cli_usage(c, &cli_view, "no results file given");
  if (size && !read_size(size, &a->width, &a->height))
    return cli_usage(c, &cli_view, "--size = '%s', must be like 1280x720", size);
  if (time && (a->time = strcmp(time, "0") == 0 ? 0 : cli_number(time)) < 0)
    return cli_usage(c, &cli_view, "--time = '%s', must be a number of seconds", time);
  if ((a->look && !is_word(a->look)) || (a->show && !is_word(a->show)))
    return cli_usage(c, &cli_view, "--view and --show take words such as front and reactions,trails");
  if (a->color && !is_name(a->color))
    return cli_usage(c, &cli_view, "--color = '%s', must be a quantity such as von_mises, displacement or 'stress xx'", a->color);
  char axis;
  double at;
  int side;
  if (a->clip && !read_clip(a->clip, &axis, &at, &side))
    return cli_usage(c, &cli_view, "--clip = '%s', must be an axis and a place from 0 to 1 along it, like x=0.5 or -z", a->clip);
  if (a->mode > 0 && (time || a->mode != (double)(long)a->mode))
    return cli_usage(c, &cli_view, time ? "--time or --mode, not both" : "--mode = %g, must be the number of a mode", a->mode);
  if (a->mode > 0) a->time = a->mode - 1;
  return 0;
}

/* ---- pictures and videos ----------------------------------------------------------------------- */

/* the page without its buttons, set up as asked; address: of the page, a file or a server */
static cli_browser *open_bare(const arguments *a, const char *address) {
  char url[4300], script[900], wrong[1200] = "", axis = 0;
  double at = 0.5;
  int side = 1;
  snprintf(url, sizeof(url), "%s#play=0&theme=%s&t=%.9g", address, a->dark ? "dark" : "light", a->time >= 0 ? a->time : 0);
  cli_browser *b = cli_browser_open(url, a->width, a->height);
  if (!b) return NULL;
  if (a->clip) read_clip(a->clip, &axis, &at, &side);
  snprintf(script, sizeof(script), "tenon.prepare('%s', '%s', {color: '%s', scale: %g, clip: '%.1s', at: %g, side: %d})",
           a->look ? a->look : "start", a->show ? a->show : "", a->color ? a->color : "", a->scale, axis ? &axis : "", at, side);
  bool answered = cli_browser_eval(b, script, wrong, sizeof(wrong));
  if (!answered || wrong[0]) {
    if (wrong[0]) fprintf(stderr, "tenon: %s\n", wrong);
    else fprintf(stderr, "tenon: the browser does not answer\n");
    cli_browser_close(&b);
  }
  return b;
}

static bool draw_at(cli_browser *b, double t) {
  char script[64];
  snprintf(script, sizeof(script), "tenon.still(%.9g)", t);
  return cli_browser_eval(b, script, NULL, 0);
}

/* the beginning; of a structure that is loaded the end, where there is something to see */
static double first_time(const tn_scene_info *info) {
  return info->statics ? info->t_end : info->t_begin;
}

/* what a failure has left of a file; devices and the like stay */
static void remove_rest(const char *path) {
  struct stat about;
  if (lstat(path, &about) == 0 && S_ISREG(about.st_mode)) remove(path);
}

static int make_picture(cli *c, const arguments *a, const tn_scene_info *info, const char *address) {
  cli_browser *b = open_bare(a, address);
  if (!b) return EXIT_FAIL;
  cli_out o;
  int code = cli_out_begin(c, &o, a->png, a->results);
  if (!code) {
    bool ok = draw_at(b, a->time >= 0 ? a->time : first_time(info)) && cli_browser_picture(b, "png", o.file);
    code = cli_out_end(c, &o, ok);
    if (!ok) fprintf(stderr, "tenon: cannot write '%s'\n", a->png);
  }
  cli_browser_close(&b);
  return code;
}

static void remove_page(char *page) {
  remove(page);
  *strrchr(page, '/') = 0;
  rmdir(page);
}

int cli_scene_pictures(cli *c, tn_scene *scene, const char *results, const double *t, int n,
                       void (*take)(void *user, FILE *png), void *user) {
  const arguments a = {.width = 720, .height = 440, .time = -1, .speed = -1, .scale = -1, .mode = -1};
  char page[4096], address[4200];
  if (!temporary_page(results, page, sizeof(page))) return EXIT_FAIL;
  int code = write_page(c, scene, page, results);
  snprintf(address, sizeof(address), "file://%s", page);
  cli_browser *b = code == EXIT_DONE ? open_bare(&a, address) : NULL;
  bool ok = b != NULL;
  for (int k = 0; k < n && ok; k++) {
    FILE *png = tmpfile();
    ok = png && draw_at(b, t[k]) && cli_browser_picture(b, "png", png);
    if (ok) {
      rewind(png);
      take(user, png);
    }
    if (png) fclose(png);
  }
  if (b && !ok) fprintf(stderr, "tenon: the browser made no picture\n");
  cli_browser_close(&b);
  remove_page(page);
  return ok ? EXIT_DONE : EXIT_FAIL;
}

/* start ffmpeg, which reads pictures from the stream; NULL: failed */
static FILE *start_ffmpeg(const char *path, pid_t *child) {
  int fd[2];
  if (pipe(fd) != 0) return NULL;
  *child = fork();
  if (*child == 0) {
    dup2(fd[0], STDIN_FILENO);
    close(fd[0]);
    close(fd[1]);
    execlp("ffmpeg", "ffmpeg", "-y", "-loglevel", "error", "-f", "image2pipe", "-framerate", "30",
           "-c:v", "mjpeg", "-i", "-", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p",
           "-crf", "20", "-movflags", "+faststart", path, (char *)NULL);
    _exit(127);
  }
  close(fd[0]);
  fcntl(fd[1], F_SETFD, FD_CLOEXEC);
  if (*child > 0) return fdopen(fd[1], "wb");
  close(fd[1]);
  return NULL;
}

static bool film(cli *c, cli_browser *b, const tn_scene_info *info, double speed, FILE *to) {
  double duration = (info->t_end - info->t_begin)/speed;
  long n = (long)(30*duration) + 1;
  for (long k = 0; k < n; k++) {
    double t = info->t_begin + (double)k/30*speed;
    if (!draw_at(b, t < info->t_end ? t : info->t_end) || !cli_browser_picture(b, "jpeg", to))
      return false;
    if (c->terminal && !c->quiet) fprintf(stderr, "\rpicture %ld of %ld\033[K", k + 1, n);
  }
  if (c->terminal && !c->quiet) fprintf(stderr, "\r\033[K");
  return true;
}

static int make_video(cli *c, const arguments *a, const tn_scene_info *info, const char *address) {
  if (!cli_has_program("ffmpeg")) {
    fprintf(stderr, "tenon: videos need ffmpeg, which is not installed; on Debian: apt-get install "
                    "ffmpeg\n");
    return EXIT_FAIL;
  }
  cli_browser *b = open_bare(a, address);
  if (!b) return EXIT_FAIL;
  char text[32] = "";
  double speed = a->speed;
  if (speed <= 0 && cli_browser_eval(b, "String(tenon.player.speed)", text, sizeof(text)))
    speed = atof(text);
  pid_t child = 0;
  FILE *to = speed > 0 ? start_ffmpeg(a->video, &child) : NULL;
  bool ok = to && film(c, b, info, speed, to);
  if (to && fclose(to) != 0) ok = false;
  int status = 1;
  if (child > 0) waitpid(child, &status, 0);
  if (!ok || status != 0) {
    fprintf(stderr, "tenon: cannot write '%s'\n", a->video);
    if (child > 0) remove_rest(a->video);
  }
  cli_browser_close(&b);
  return ok && status == 0 ? EXIT_DONE : EXIT_FAIL;
}

/* ---- the command -------------------------------------------------------------------------------- */

static int show_page(cli *c, const char *address, cli_live *server) {
  bool opened = cli_open_browser(address, !server);
  printf("%s\n", address);
  fflush(stdout);
  if (!opened && !c->quiet)
    fprintf(stderr, "no browser could be opened from here: open the address in one, or write a page "
                    "with --html file.html\n");
  if (!server) return EXIT_DONE;
  if (!c->quiet) fprintf(stderr, "its meshes are read from the results while the page is open (Ctrl-C ends)\n");
  cli_serve_wait(server);
  return EXIT_DONE;
}

static void wrote(cli *c, const char *path) {
  if (path && !c->quiet) fprintf(stderr, "wrote %s\n", path);
}

/* pictures, videos or the browser, from the page at an address */
static int use_page(cli *c, const arguments *a, const tn_scene_info *info, const char *address, cli_live *server) {
  int code = EXIT_DONE;
  if (a->png && (code = make_picture(c, a, info, address)) == EXIT_DONE) wrote(c, a->png);
  if (code == EXIT_DONE && a->video && (code = make_video(c, a, info, address)) == EXIT_DONE) wrote(c, a->video);
  if (code == EXIT_DONE && !a->html && !a->png && !a->video) code = show_page(c, address, server);
  return code;
}

static int make_all(cli *c, const arguments *a, tn_scene *scene) {
  char own[4096] = "", address[4200];
  const tn_scene_info *info = tn_scene_get_info(scene);
  if (!c->quiet && info->note[0]) fprintf(stderr, "note: %s\n", info->note);
  bool pictures = a->png || a->video;
  if ((!a->html || pictures) && !temporary_page(a->results, own, sizeof(own))) return EXIT_FAIL;
  int code = own[0] ? write_page(c, scene, own, NULL) : EXIT_DONE;
  if (code == EXIT_DONE && a->html && (code = write_page(c, scene, a->html, a->results)) == EXIT_DONE)
    wrote(c, a->html);
  snprintf(address, sizeof(address), "file://%s", own);
  if (code == EXIT_DONE && own[0]) code = use_page(c, a, info, address, NULL);
  if (own[0] && (a->html || pictures || code != EXIT_DONE)) remove_page(own); /* only the browser without a window has used it */
  return code;
}

/* Meshes with more numbers than a page should have: a server reads them when they are asked for. */
static int serve(cli *c, const arguments *a, tn_scene *scene) {
  char address[200];
  cli_live *server = cli_serve_start(c, scene, address, sizeof(address));
  if (!server) return EXIT_FAIL;
  int code = use_page(c, a, tn_scene_get_info(scene), address, server);
  cli_live_stop(c, &server, -1);
  return code;
}

static int run_view(cli *c, int argc, char **argv) {
  enum { PAGE_MOST = 8000000 }; /* bytes of fields in a page that nobody wants to keep */
  arguments a = {.time = -1, .speed = -1, .scale = -1, .mode = -1, .width = 1280, .height = 720};
  int code = parse(c, argc, argv, &a);
  if (code) return code;
  tn_scene *scene;
  const tn_scene_opts apart = {.fields_apart = true};
  tn_status st = tn_scene_open(c->ctx, a.results, &apart, &scene);
  if (st != TN_OK) return cli_fail_read(c, st);
  bool large = cli_can_serve() && tn_scene_get_info(scene)->field_bytes > PAGE_MOST;
  if (large && (!a.html || a.png || a.video)) code = serve(c, &a, scene);
  if (code == EXIT_DONE && (!large || a.html)) {
    bool fields = tn_scene_get_info(scene)->field_bytes > 0;
    if (fields) tn_scene_close(&scene);
    if (fields && (st = tn_scene_open(c->ctx, a.results, NULL, &scene)) != TN_OK) return cli_fail_read(c, st);
    if (large) a.png = a.video = NULL; /* made already */
    code = make_all(c, &a, scene);
  }
  tn_scene_close(&scene);
  return code;
}

const cli_command cli_view = {
    "view",
    "results.h5 [--html page.html] [--png file] [--video file]",
    "animate a run in the browser, as one page to mail, as a picture or a video;\n"
    "                                                                 also --time, --view, --show, "
    "--dark, --size, --speed,\n"
    "                                                                 of meshes --color, --scale, --clip, --mode",
    run_view};
