/* Every message of the reader, word by word: they are a contract with the user.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "language.h"
#include "support/check.h"

static tn_ctx *ctx;

typedef struct bad {
  const char *text, *message;
} bad;

/* each text follows "tenon: 1\n", so its first line is line 2 of m.yaml */
static void refuse_all(const bad *cases, int n) {
  for (int i = 0; i < n; i++) {
    char text[4000];
    tn_spec *spec = NULL;
    snprintf(text, sizeof(text), "tenon: 1\n%s", cases[i].text);
    tn_status st = tni_input_read_text(ctx, &language, "m.yaml", text, NULL, 0, &spec);
    CHECK(st == TN_ERR_INPUT);
    CHECK(spec == NULL);
    CHECK_TEXT(tn_ctx_message(ctx), cases[i].message);
    tni_spec_destroy(&spec);
  }
}
#define REFUSE_ALL(cases) refuse_all(cases, TNI_COUNT(cases))

#define BODY(keys) "bodies:\n  a: {" keys "}\n"
#define JOINT(keys) "joints:\n  j: {" keys "}\n"

static void unknown_words_are_met_with_the_nearest_known_one(void) {
  static const bad cases[] = {
      {"titel: x\n", "m.yaml:2: unknown key 'titel'; did you mean 'title'?"},
      {"joint: {}\n", "m.yaml:2: unknown key 'joint'; did you mean 'joints'?"},
      {"wheels: {}\n",
       "m.yaml:2: unknown key 'wheels'; known: tenon, params, include, repeat, title, gravity, "
       "planar, bodies, joints, forces, drive, analysis"},
      {JOINT("type: revolute, bodies: [a, b], dampng: 1"),
       "m.yaml:3: joint 'j': unknown key 'dampng'; did you mean 'damping'?"},
      {JOINT("type: revolute, bodies: [a, b],\n   colour: red"),
       "m.yaml:4: joint 'j': unknown key 'colour'; known: type, axis, damping, bodies, at"},
      {JOINT("type: spherical, bodies: [a, b], axis: x"),
       "m.yaml:3: joint 'j': key 'axis' is not used by type 'spherical'; known: type, bodies, at"},
      {JOINT("type: revolut"), "m.yaml:3: joint 'j': unknown type 'revolut'; did you mean "
                               "'revolute'?"},
      {JOINT("type: weld"),
       "m.yaml:3: joint 'j': unknown type 'weld'; known: revolute, spherical, gear"},
      {JOINT("bodies: [a, b]"),
       "m.yaml:3: joint 'j': key 'type' is missing; known: revolute, spherical, gear"},
      {JOINT("type: [revolute]"),
       "m.yaml:3: joint 'j': key 'type' must be a word; known: revolute, spherical, gear"},
      {"drive:\n- {joint: a, motion: 1, nam: b}\n",
       "m.yaml:3: drive 'drive1': unknown key 'nam'; did you mean 'name'?"},
      {"analysis: {untl: 1}\n", "m.yaml:2: analysis: unknown key 'untl'; did you mean 'until'?"},
      {"analysis: {method: rk5}\n",
       "m.yaml:2: analysis: key 'method': got 'rk5', must be one of auto, rk4, adams; did you mean "
       "'rk4'?"},
      {"analysis: {method: [auto]}\n",
       "m.yaml:2: analysis: key 'method': got a list of 1, must be one of auto, rk4, adams"},
  };
  REFUSE_ALL(cases);
}

static void missing_keys_and_values_are_named(void) {
  static const bad cases[] = {
      {BODY("at: [0, 0, 0]"),
       "m.yaml:3: body 'a': key 'mass' is missing; must be a number or an expression of "
       "parameters"},
      {JOINT("type: revolute"), "m.yaml:3: joint 'j': key 'bodies' is missing; must be [body, "
                                "body]"},
      {BODY("mass: "), "m.yaml:3: body 'a': key 'mass': has no value"},
      {"bodies:\n  a:\n    mass: ~\n", "m.yaml:4: body 'a': key 'mass': has no value"},
      {BODY("mass: 1, at: [0, null, 0]"), "m.yaml:3: body 'a': key 'at': has no value"},
      {"bodies:\n  a:\n", "m.yaml:3: body 'a': has no value; give its keys, or {} for none"},
      {"bodies:\n", "m.yaml:2: key 'bodies' has no value; remove it or give a body"},
      {"title:\n", "m.yaml:2: key 'title': has no value"},
      {"bodies:\n  a: 3\n", "m.yaml:3: body 'a': must be a map of keys, not '3'"},
      {"bodies:\n  a: [1]\n", "m.yaml:3: body 'a': must be a map of keys, not a list"},
      {"bodies: [{mass: 1}]\n", "m.yaml:2: key 'bodies': got a list, must be a map of body names"},
      {"drive: pin\n", "m.yaml:2: key 'drive': got 'pin', must be a map of drive names or a list"},
      {"analysis: [1]\n", "m.yaml:2: analysis: must be a map of keys, not a list"},
  };
  REFUSE_ALL(cases);
}

static void numbers_outside_their_range_are_shown_with_unit_and_limit(void) {
  static const bad cases[] = {
      {BODY("mass: -1"), "m.yaml:3: body 'a': mass = -1 kg, must be > 0"},
      {BODY("mass: 1 - 1"), "m.yaml:3: body 'a': mass = 0 kg (from '1 - 1'), must be > 0"},
      {"bodies:\n  a:\n    mass: 1\n    inertia:\n      [1,\n      -2, 3]\n",
       "m.yaml:7: body 'a': inertia entry 2 = -2 kg m^2, must be > 0"},
      {"analysis: {steps: 0}\n", "m.yaml:2: analysis: steps = 0, must be >= 1 and <= 1000"},
      {"analysis: {steps: 1001}\n", "m.yaml:2: analysis: steps = 1001, must be >= 1 and <= 1000"},
      {"analysis: {steps: 2.5}\n", "m.yaml:2: analysis: steps = 2.5, must be a whole number"},
      {"analysis: {steps: 1e10}\n",
       "m.yaml:2: analysis: steps = 1e+10, must be between -2147483647 and 2147483647"},
      {"analysis: {theta: 1}\n", "m.yaml:2: analysis: theta = 1, must be > 0 and < 1"},
      {"forces: [{type: spring, body: a, free: {x: 0.5, y: 2}}]\n",
       "m.yaml:2: force 'force1': free = 2, must be >= 0 and <= 1"},
  };
  REFUSE_ALL(cases);
}

static void what_is_no_number_says_why(void) {
  static const bad cases[] = {
      {BODY("mass: .nan"), "m.yaml:3: body 'a': key 'mass': got '.nan', must be a finite number"},
      {BODY("mass: NaN"), "m.yaml:3: body 'a': key 'mass': got 'NaN', must be a finite number"},
      {BODY("mass: -.inf"), "m.yaml:3: body 'a': key 'mass': got '-.inf', must be a finite number"},
      {BODY("mass: true"), "m.yaml:3: body 'a': key 'mass': got 'true', must be a finite number"},
      {BODY("mass: ''"), "m.yaml:3: body 'a': key 'mass': got '', must be a finite number"},
      {BODY("mass: 1e999"),
       "m.yaml:3: body 'a': key 'mass': '1e999' = inf, must be a finite number"},
      {BODY("mass: 1/0"), "m.yaml:3: body 'a': key 'mass': '1/0' = inf, must be a finite number"},
      {BODY("mass: heavy"),
       "m.yaml:3: body 'a': key 'mass': got 'heavy', must be a number: unknown parameter"},
      {"params: {speed: 1}\n" BODY("mass: sped"),
       "m.yaml:4: body 'a': key 'mass': got 'sped', must be a number: unknown parameter; did you "
       "mean 'speed'?"},
      {"params: {speed: 1}\n" BODY("mass: 2*sped"),
       "m.yaml:4: body 'a': key 'mass': '2*sped', column 3: 'sped': unknown parameter; did you "
       "mean 'speed'?"},
      {BODY("mass: 2*t"),
       "m.yaml:3: body 'a': key 'mass': '2*t', column 3: 't': the time is not known here; must be "
       "constant"},
      {BODY("mass: angle(hinge)"),
       "m.yaml:3: body 'a': key 'mass': 'angle(hinge)', column 1: 'angle': no built-in function, "
       "and the value must be constant"},
      {BODY("mass: (1 + 2"),
       "m.yaml:3: body 'a': key 'mass': '(1 + 2', column 1: this '(' is never closed"},
      {BODY("mass: 0x10"), "m.yaml:3: body 'a': key 'mass': '0x10', column 2: a letter right after "
                           "a number; write 0*x... to multiply"},
      {BODY("mass: [1, 2]"), "m.yaml:3: body 'a': key 'mass': got a list of 2, must be a number"},
      {BODY("mass: {a: 1}"), "m.yaml:3: body 'a': key 'mass': got a map, must be a number"},
  };
  REFUSE_ALL(cases);
}

static void shapes_are_checked(void) {
  static const bad cases[] = {
      {BODY("mass: 1, at: [1]"),
       "m.yaml:3: body 'a': key 'at': got a list of 1, must be [x, y, z] or [x, y]"},
      {BODY("mass: 1, at: [1, 2, 3, 4]"),
       "m.yaml:3: body 'a': key 'at': got a list of 4, must be [x, y, z] or [x, y]"},
      {BODY("mass: 1, at: 5"), "m.yaml:3: body 'a': key 'at': got '5', must be [x, y, z] or "
                               "[x, y]"},
      {BODY("mass: 1, at: [1, [2], 3]"),
       "m.yaml:3: body 'a': key 'at': got a list of 1, must be a number"},
      {BODY("mass: 1, inertia: []"),
       "m.yaml:3: body 'a': key 'inertia': got an empty list, must be Izz, [Ixx, Iyy, Izz], [Ixx, "
       "Iyy, Izz, Ixy, Ixz, Iyz] or a 3x3 list"},
      {BODY("mass: 1, inertia: [[1, 2, 0], [3, 4, 0], [0, 0, 1]]"),
       "m.yaml:3: body 'a': key 'inertia': entry (2, 1) = 3 and entry (1, 2) = 2 differ, must be "
       "symmetric"},
      {BODY("mass: 1, between: [0, 1]"),
       "m.yaml:3: body 'a': key 'between': got '0', must be [x, y, z] or [x, y]"},
      {BODY("mass: 1, points: [0, 1]"),
       "m.yaml:3: body 'a': key 'points': got a list of 2, must be a map name: [x, y, z]"},
      {BODY("mass: 1, frames: {f: {position: [0, 0, 0]}}"),
       "m.yaml:3: body 'a': key 'frames', frame 'f': unknown key 'position'; known: at, "
       "orientation"},
      {BODY("mass: 1, frames: {f: {at: [0]}}"),
       "m.yaml:3: body 'a': key 'frames.at': got a list of 1, must be [x, y, z] or [x, y]"},
      {BODY("mass: 1, frames: {f: 3}"),
       "m.yaml:3: body 'a': key 'frames': got '3', must be a map name: {at: [x, y, z], "
       "orientation: ...}"},
      {JOINT("type: revolute, bodies: [a]"),
       "m.yaml:3: joint 'j': key 'bodies': got a list of 1, must be [body, body]"},
      {JOINT("type: revolute, bodies: a"),
       "m.yaml:3: joint 'j': key 'bodies': got 'a', must be [body, body]"},
      {JOINT("type: revolute, bodies: [a, [b]]"),
       "m.yaml:3: joint 'j': key 'bodies': got a list of 1, must be [body, body]"},
      {JOINT("type: revolute, bodies: [a, b], at: 3"),
       "m.yaml:3: joint 'j': key 'at': got '3', must be [x, y, z] or the name of a point"},
      {JOINT("type: revolute, bodies: [a, b], axis: w"),
       "m.yaml:3: joint 'j': key 'axis': got 'w', must be x, y, z, -x, -y, -z or [x, y, z]"},
      {JOINT("type: revolute, bodies: [a, b], axis: [0, 0, 0]"),
       "m.yaml:3: joint 'j': key 'axis': the direction is zero, must not be"},
      {JOINT("type: gear, joints: [a]"),
       "m.yaml:3: joint 'j': key 'joints': got a list of 1, must be a list of 2 names"},
      {"analysis: {window: [1, 2, 3]}\n",
       "m.yaml:2: analysis: key 'window': got a list of 3, must be a list of 2 numbers"},
      {"analysis: {times: 3}\n", "m.yaml:2: analysis: key 'times': got '3', must be a list of "
                                 "numbers"},
      {"forces: [{type: spring, body: a, stiffness: [1, 2]}]\n",
       "m.yaml:2: force 'force1': key 'stiffness': got a list of 2, must be a list of 6 numbers or "
       "a 6x6 list"},
      {"forces: [{type: spring, body: a, curve: [[0, 0]]}]\n",
       "m.yaml:2: force 'force1': key 'curve': got a list of 1, must be a list [[x, y], [x, y], "
       "...] with x increasing"},
      {"forces: [{type: spring, body: a, curve: [[0, 0], [1]]}]\n",
       "m.yaml:2: force 'force1': key 'curve': got a list of 1, must be a pair [x, y]"},
      {"forces: [{type: spring, body: a, curve: [[0, 0], [1, 1],\n  [1, 2]]}]\n",
       "m.yaml:3: force 'force1': key 'curve': x = 1 in row 3 after 1, must increase"},
      {"forces: [{type: push, body: a, force: [1]}]\n",
       "m.yaml:2: force 'force1': key 'force': got a list of 1, must be a list of 3 expressions"},
      {"forces: [{type: push, body: a, force: [1, 'sin(', 2]}]\n",
       "m.yaml:2: force 'force1': key 'force': 'sin(', column 5: the expression ends where a value "
       "is expected"},
      {"planar: yes\n", "m.yaml:2: key 'planar': got 'yes', must be true or false; did you mean "
                        "'true'?"},
      {"planar: Off\n", "m.yaml:2: key 'planar': got 'Off', must be true or false; did you mean "
                        "'false'?"},
      {"planar: 1\n", "m.yaml:2: key 'planar': got '1', must be true or false"},
      {"planar: 'true'\n", "m.yaml:2: key 'planar': got 'true', must be true or false without "
                           "quotes"},
      {"planar: [true]\n", "m.yaml:2: key 'planar': got a list of 1, must be true or false"},
  };
  REFUSE_ALL(cases);
}

static void orientations_are_checked(void) {
#define TURN(text) BODY("mass: 1, orientation: " text)
#define TURN_FAILS "m.yaml:3: body 'a': key 'orientation"
  static const bad cases[] = {
      {TURN("{quaternion: [0, 0, 0, 0]}"), TURN_FAILS "': the quaternion is zero, must not be"},
      {TURN("{quaternion: [1, 0, 0]}"),
       TURN_FAILS ".quaternion': got a list of 3, must be a list of 4 numbers"},
      {TURN("{quatrnion: [1, 0, 0, 0]}"),
       TURN_FAILS "': unknown key 'quatrnion'; did you mean 'quaternion'?"},
      {TURN("{axis: x}"), TURN_FAILS "': got a map, must be {quaternion}, {axis, angle}, {euler, "
                                     "sequence}, two of {x, y, z}, or an angle"},
      {TURN("{axis: q, angle: 1}"),
       TURN_FAILS ".axis': got 'q', must be x, y, z, -x, -y, -z or [x, y, z]"},
      {TURN("{axis: x, angle: east}"),
       TURN_FAILS "': got 'east', must be a number: unknown parameter"},
      {TURN("{euler: [1, 2, 3], sequence: xxy}"),
       TURN_FAILS ".sequence': got 'xxy', must be three of the letters xyz (turned axes) or XYZ "
                  "(fixed axes), neighbours different"},
      {TURN("{x: [1, 0, 0], y: [-2, 0, 0]}"),
       TURN_FAILS "': directions x and y are parallel, must differ"},
      {TURN("{y: z, z: z}"), TURN_FAILS "': directions y and z are parallel, must differ"},
      {TURN("[1, 0, 0]"), TURN_FAILS "': got a list of 3, must be {quaternion}, {axis, angle}, "
                                     "{euler, sequence}, two of {x, y, z}, or an angle"},
      {BODY("mass: 1, frames: {f: {orientation: {axis: x, angel: 1}}}"),
       "m.yaml:3: body 'a': key 'frames.orientation': unknown key 'angel'; did you mean 'angle'?"},
  };
  REFUSE_ALL(cases);
}

static void names_and_doubles_are_refused(void) {
  static const bad cases[] = {
      {"bodies:\n  a: {mass: 1}\n  b: {mass: 1}\n  a: {mass: 2}\n",
       "m.yaml:5: key 'a' is given twice; first on line 3"},
      {"title: a\ntitle: b\n", "m.yaml:3: key 'title' is given twice; first on line 2"},
      {"drive:\n- {name: d, joint: a, motion: 1}\n- {name: d, joint: a, motion: 1}\n",
       "m.yaml:4: drive 'd': is defined twice; first at m.yaml:3"},
      {"bodies:\n  a.b: {mass: 1}\n", "m.yaml:3: body 'a.b': a name may not contain '.'"},
      {"bodies:\n  '': {mass: 1}\n", "m.yaml:3: a body has an empty name"},
      {"bodies:\n  ' a': {mass: 1}\n",
       "m.yaml:3: body ' a': a name must be one line of at most 100 bytes, without spaces around"},
      {"drive:\n- {name: [d], joint: a, motion: 1}\n", "m.yaml:3: drive: key 'name' must be a "
                                                       "word"},
      {"params:\n  a: 1\n  a: 2\n", "m.yaml:4: key 'a' is given twice; first on line 3"},
  };
  REFUSE_ALL(cases);
}

static void parameters_are_checked(void) {
  static const bad cases[] = {
      {"params: {2a: 1}\n", "m.yaml:2: parameter '2a': the name must be letters, digits and _, a "
                            "letter first"},
      {"params: {pi: 3}\n",
       "m.yaml:2: parameter 'pi': the name is used by expressions; choose another"},
      {"params: {sin: 3}\n",
       "m.yaml:2: parameter 'sin': the name is used by expressions; choose another"},
      {"params: {t: 3}\n",
       "m.yaml:2: parameter 't': the name is used by expressions; choose another"},
      {"params: {a: }\n", "m.yaml:2: parameter 'a': has no value"},
      {"params: {a: [1]}\n",
       "m.yaml:2: parameter 'a': got a list, must be a number or an expression of parameters"},
      {"params: {a: b, b: 1}\n",
       "m.yaml:2: parameter 'a': got 'b', must be a number: defined later; a parameter may use "
       "only those above it"},
      {"params: {a: 1 + b, b: 1}\n",
       "m.yaml:2: parameter 'a': '1 + b', column 5: 'b': defined later; a parameter may use only "
       "those above it"},
      {"params: {a: .nan}\n", "m.yaml:2: parameter 'a': got '.nan', must be a finite number"},
      {"params: [1]\n", "m.yaml:2: key 'params': must be a map of names and numbers"},
      {"params:\n", "m.yaml:2: key 'params': has no value"},
  };
  REFUSE_ALL(cases);
}

static void repeats_are_checked(void) {
#define REPEAT(loop) "repeat:\n- for: " loop "\n  bodies: {\"b{i}\": {mass: 1}}\n"
  static const bad cases[] = {
      {"repeat: 3\n", "m.yaml:2: repeat: must be a list of {for: {i: [first, last]}, bodies: ...}"},
      {"repeat:\n- bodies: {}\n", "m.yaml:3: repeat: key 'for' is missing; must be a map like {i: "
                                  "[1, 10]}"},
      {REPEAT("{}"), "m.yaml:3: repeat: key 'for' names no index; must be a map like {i: [1, 10]}"},
      {REPEAT("{i: 3}"), "m.yaml:3: repeat: index 'i': must be [first, last], [first, last, step] "
                         "or {in: [a, b, ...]}"},
      {REPEAT("{i: [1, 2, 0]}"), "m.yaml:3: repeat: index 'i': step = 0, must not be zero"},
      {REPEAT("{i: [1, 2.5]}"), "m.yaml:3: repeat: index 'i': got 2.5, must be a whole number"},
      {REPEAT("{i: [1, n]}"), "m.yaml:3: repeat: index 'i': got 'n', must be a number: unknown "
                              "parameter"},
      {REPEAT("{pi: [1, 2]}"),
       "m.yaml:3: repeat: index 'pi': the name is used by expressions; choose another"},
      {"params: {i: 1}\n" REPEAT("{i: [1, 2]}"),
       "m.yaml:4: repeat: index 'i': the name is a parameter; choose another"},
      {"repeat: {for: {i: [1, 10000000]}}\n",
       "m.yaml:2: repeat: index 'i': more than 1000000 repetitions (10000000); use a smaller range"},
      {REPEAT("{k: [1, 2]}"), "m.yaml:4: body: got 'i', must be a number: unknown parameter; did "
                              "you mean 'k'?"},
      {"repeat:\n- for: {i: [1, 2]}\n  bodies: {b: {mass: i}}\n",
       "m.yaml:4: body 'b': is defined twice; first at m.yaml:4"},
      {"repeat:\n- for: {i: [1, 2]}\n  bodes: {b: {mass: i}}\n",
       "m.yaml:4: repeat: unknown key 'bodes'; did you mean 'bodies'?"},
      {"repeat:\n- for: {i: [0, 2]}\n  bodies: {\"b{i}\": {mass: 1 - i}}\n",
       "m.yaml:4: body 'b1': mass = 0 kg (from '1 - i'), must be > 0"},
      {"repeat:\n- for: {i: {in: [a, b]}}\n  bodies: {\"b{i}\": {mass: i}}\n",
       "m.yaml:4: body 'ba': key 'mass': got 'i', must be a number: this index is a word, not a "
       "number"},
      {"bodies: {\"b{i\": {mass: 1}}\n",
       "m.yaml:2: body: 'b{i': '{' without its partner; write {{ for the character"},
      {"title: a}\n",
       "m.yaml:2: key 'title': 'a}': '}' without its partner; write }} for the character"},
  };
  REFUSE_ALL(cases);
}

static void yaml_mistakes_have_a_line(void) {
  static const bad cases[] = {
      {"bodies: {a: [1, 2\nplanar: true\n",
       "m.yaml:3: YAML: did not find expected ',' or ']', while parsing a flow sequence that "
       "starts "
       "on line 2"},
      {"bodies:\n\ta: 1\n",
       "m.yaml:3: YAML: found character that cannot start any token, while scanning for the next "
       "token; indent with spaces, not tabs"},
      {"title: 'abc\n",
       "m.yaml:2: YAML: found unexpected end of stream, while scanning a quoted "
       "scalar"},
      {"title: a: b\n", "m.yaml:2: YAML: mapping values are not allowed in this context"},
      {"title: *x\n", "m.yaml:2: alias 'x': no such anchor above"},
      {"title: &x [*x]\n", "m.yaml:2: alias 'x' contains itself"},
      {"title: !!str 3\n",
       "m.yaml:2: tag 'tag:yaml.org,2002:str': YAML tags are not used here; "
       "remove it"},
      {"? [a]\n: 1\n", "m.yaml:2: a key must be a plain word, not a list; is a quote missing?"},
      {"<<: 3\n", "m.yaml:2: merge key '<<' must be a map or a list of maps"},
      {"---\ntitle: a\n", "m.yaml:2: a second document starts here; one file holds one model"},
      {"title: \"\\0\"\n", "m.yaml:2: a text contains the character \\0"},
      {"title: \xff\n", "m.yaml:2: byte 0xFF is not UTF-8; save the file as UTF-8 text"},
      {"title: a\x01\n", "m.yaml:2: control character 0x01; is this a text file?"},
  };
  REFUSE_ALL(cases);
}

static void check_whole(const char *text, const char *message) {
  tn_spec *spec = NULL;
  CHECK(tni_input_read_text(ctx, &language, "m.yaml", text, NULL, 0, &spec) == TN_ERR_INPUT);
  CHECK(spec == NULL);
  CHECK_TEXT(tn_ctx_message(ctx), message);
}

static void documents_say_which_format_they_are(void) {
  check_whole("", "m.yaml:1: the document is empty; a model starts with 'tenon: 1'");
  check_whole("# only this\n", "m.yaml:1: the document is empty; a model starts with 'tenon: 1'");
  check_whole("~\n", "m.yaml:1: the document is empty; a model starts with 'tenon: 1'");
  check_whole("- 1\n", "m.yaml:1: the document must be a map of keys, not a list");
  check_whole("tenon\n", "m.yaml:1: the document must be a map of keys, not a text");
  check_whole("title: a\n", "m.yaml:1: key 'tenon' is missing; a model starts with 'tenon: 1'");
  check_whole("title: a\ntenon: 2\n", "m.yaml:2: format version tenon = '2', must be 1");
  check_whole("tenon: [1]\n", "m.yaml:1: format version tenon = a list, must be 1");
}

static void overrides_are_checked(void) {
  static const struct {
    const char *override, *message;
  } cases[] = {
      {"sped=3", "override 'sped=3': unknown parameter 'sped'; did you mean 'speed'?"},
      {"mass=3", "override 'mass=3': unknown parameter 'mass'; known: speed, n"},
      {"speed", "override 'speed': must be name=value"},
      {"speed=", "override 'speed=': must be name=value"},
      {"=3", "override '=3': must be name=value"},
      {"speed=fast", "override 'speed': got 'fast', must be a number: unknown parameter"},
      {"speed=n", "override 'speed': got 'n', must be a number: defined later; a parameter may use "
                  "only those above it"},
      {"speed=1/0", "override 'speed': '1/0' = inf, must be a finite number"},
  };
  for (int i = 0; i < TNI_COUNT(cases); i++) {
    tn_spec *spec = NULL;
    CHECK(tni_input_read_text(ctx, &language, "m.yaml", "tenon: 1\nparams: {speed: 2, n: 3}\n",
                              &cases[i].override, 1, &spec) == TN_ERR_INPUT);
    CHECK_TEXT(tn_ctx_message(ctx), cases[i].message);
  }
}

/* values set by a program have no place in a file */
static void program_values_are_checked_without_a_place(void) {
  tn_spec *spec = NULL;
  CHECK_OK(ctx, tni_input_read_text(ctx, &language, "m.yaml", "tenon: 1\nbodies: {a: {mass: 1}}\n",
                                    NULL, 0, &spec));
  tni_item *a = tni_spec_find(spec, "bodies", "a");
  CHECK(tni_input_set(spec, a, "mass", "-2") == TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(ctx), "body 'a': mass = -2 kg, must be > 0");
  CHECK(tni_input_set(spec, a, "mas", "2") == TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(ctx), "body 'a': unknown key 'mas'; did you mean 'mass'?");
  CHECK(tni_input_set(spec, a, "mass", "") == TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(ctx), "body 'a': key 'mass': has no value");
  CHECK(tni_input_set(spec, a, "mass", "[1") == TN_ERR_INPUT);
  CHECK_TEXT(
      tn_ctx_message(ctx),
      "body 'a': key 'mass': line 1: YAML: did not find expected ',' or ']', while parsing a flow "
      "sequence");
  CHECK_NEAR(tni_item_number(a, "mass", 0), 1, 0);
  CHECK_OK(ctx, tni_input_set(spec, a, "mass", "2.5"));
  CHECK_NEAR(tni_item_number(a, "mass", 0), 2.5, 0);
  CHECK(tni_item_fail(ctx, a, "mass", "too %s", "much") == TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(ctx), "body 'a': too much");
  CHECK(tni_item_fail(ctx, a, NULL, "too much") == TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(ctx), "m.yaml:2: body 'a': too much");
  tni_spec_destroy(&spec);
}

int main(void) {
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  RUN(unknown_words_are_met_with_the_nearest_known_one);
  RUN(missing_keys_and_values_are_named);
  RUN(numbers_outside_their_range_are_shown_with_unit_and_limit);
  RUN(what_is_no_number_says_why);
  RUN(shapes_are_checked);
  RUN(orientations_are_checked);
  RUN(names_and_doubles_are_refused);
  RUN(parameters_are_checked);
  RUN(repeats_are_checked);
  RUN(yaml_mistakes_have_a_line);
  RUN(documents_say_which_format_they_are);
  RUN(overrides_are_checked);
  RUN(program_values_are_checked_without_a_place);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
