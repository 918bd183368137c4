"""Small files with large costs: each is refused before it costs anything, and whoever runs it can raise the limit."""

import pytest

import spacedyn as sd
from spacedyn.model.files.toml_reading import parse_toml

BASE = "[base]\nmass = 1\ninertia = [1, 1.1, 1.2]\n"
QUOTED = ".".join(['"!"'] * 8000)
BOMBS = {
    "quoted keys": (QUOTED + " = 1\n", "line 1.*key_parts"),
    "quoted keys with blanks": (" . ".join(["'!'"] * 8000) + " = 1\n", "line 1.*key_parts"),
    "a header of many parts": (f"{BASE}[{QUOTED}]\n", "line 4.*key_parts"),
    "keys of an inline table": (f"{BASE}x = {{ y = 1, {QUOTED} = 1 }}\n", "line 4.*key_parts"),
    "keys after a text that looks open": (f"{BASE}x = 'a \" b'\n{QUOTED} = 1\n", "line 5.*key_parts"),
    "keys after quotes that end late": (f'{BASE}x = """a\n"""""\n{QUOTED} = 1\n', "line 6.*key_parts"),
    "lists in lists": ("x = " + "[" * 5000 + "]" * 5000, "line 1.*depth"),
    "tables in tables": ("x = " + "{a=" * 5000 + "1" + "}" * 5000, "line 1.*depth"),
    "many short keys": ("".join(f"a{i}.b=1\n" for i in range(260_000)), "elements"),
    "many empty lists": ("x = [" + "[]," * 600_000 + "]", "elements"),
    "many numbers": ("x = [" + "1," * 1_100_000 + "]", "numbers"),
}


@pytest.mark.parametrize("case", BOMBS)
def test_toml_that_would_take_all_memory_is_refused(tmp_path, case):
    text, words = BOMBS[case]
    file = tmp_path / "robot.toml"
    file.write_text(text)
    with pytest.raises(sd.ModelError, match=words) as caught:
        sd.load(file)
    assert len(str(caught.value)) < 2000


HARMLESS = {
    "sentences": 'x = "' + "A b. " * 62 + '"',
    "sentences over lines": 'x = """' + "A b.\n" * 62 + '"""',
    "a comment": "# " + "a.b." * 100 + "\nx = 1",
    "text in single quotes": "x = '" + '".' * 100 + "'",
    "text with quotes inside": 'x = "\\"' + "." * 100 + '\\" # no comment"',
    "numbers with points": "x = [" + "1.5, " * 200 + "]",
    "many lines of numbers": "\n".join(f"x{i} = 1.5" for i in range(100)),
    "versions": "x = ['1.2.3', \"4.5.6\"]",
}


@pytest.mark.parametrize("case", HARMLESS)
def test_points_in_sentences_are_no_keys(case):
    assert "x" in " ".join(parse_toml(HARMLESS[case]))


def many_bodies(count: int) -> str:
    bodies = "".join(
        f"[bodies.b{i}]\nmass = 1\ninertia = [1, 1.1, 1.2]\n"
        f'[joints.j{i}]\nkind = "fixed"\nparent = "base"\nchild = "b{i}"\n'
        for i in range(count)
    )
    return BASE + bodies


def test_who_runs_it_sets_the_limits(monkeypatch):
    monkeypatch.setenv("SPACEDYN_LIMITS", "bodies=3")
    assert sd.Model.from_toml(many_bodies(2)).n == 2
    with pytest.raises(sd.ModelError, match=r"4 bodies, more than the 3 .*SPACEDYN_LIMITS='bodies=4'"):
        sd.Model.from_toml(many_bodies(3))
    monkeypatch.setenv("SPACEDYN_LIMITS", "key_parts=9000, bodies=1e3")
    with pytest.raises(sd.ModelError, match="there is no '!'"):
        sd.Model.from_toml(".".join(['"!"'] * 100) + " = 1\n")
    assert sd.Model.from_toml(many_bodies(3)).n == 3


@pytest.mark.parametrize(
    ("given", "words"), [("bodys=3", "did you mean 'bodies'"), ("bodies", "NAME=NUMBER"), ("bodies=x", "NAME=NUMBER")]
)
def test_limits_that_cannot_be_read_are_named(monkeypatch, given, words):
    monkeypatch.setenv("SPACEDYN_LIMITS", given)
    with pytest.raises(sd.InputError, match=words):
        sd.Model.from_toml(many_bodies(1))


def test_a_body_of_too_many_visuals(monkeypatch):
    monkeypatch.setenv("SPACEDYN_LIMITS", "visuals=5")
    look = '{ kind = "sphere", radius = 1 }'
    assert len(sd.Model.from_toml(f"{BASE}visuals = [{', '.join([look] * 5)}]\n").bodies[0].visuals) == 5
    with pytest.raises(sd.ModelError, match="6 visuals"):
        sd.Model.from_toml(f"{BASE}visuals = [{', '.join([look] * 6)}]\n")
    xml = "<robot name='r'><link name='a'>" + "<visual><geometry><sphere radius='1'/></geometry></visual>" * 6
    with pytest.raises(sd.ModelError, match="6 visuals"):
        sd.Model.from_urdf(xml + "</link></robot>", base="fixed")


def test_a_file_of_too_many_bytes(tmp_path, monkeypatch):
    (tmp_path / "robot.toml").write_text(many_bodies(1))
    monkeypatch.setenv("SPACEDYN_LIMITS", "file_bytes=20")
    with pytest.raises(sd.ModelError, match=r"SPACEDYN_LIMITS='file_bytes=\d+'"):
        sd.load(tmp_path / "robot.toml")


def mjcf(inside: str, beside: str = "") -> str:
    return f"<mujoco>{beside}<worldbody>{inside}</worldbody></mujoco>"


BODY = "<body><freejoint/><geom size='.1'/></body>"
DOUBLING = "".join(
    f"<body name='b{i}'><attach body='b{i - 1}' prefix='a_'/><attach body='b{i - 1}' prefix='b_'/></body>"
    for i in range(1, 40)
)
MUJOCO_BOMBS = {
    "replicate": (mjcf(f"<replicate count='10000'>{BODY}</replicate>"), "mujoco_bodies"),
    "nested replicate": (mjcf("<replicate count='999'>" * 5 + BODY + "</replicate>" * 5), "mujoco_bodies"),
    "replicated geoms": (mjcf("<replicate count='30000'><geom size='1'/></replicate>"), "mujoco_elements"),
    "bodies": (mjcf("<body/>" * 2500), "mujoco_bodies"),
    "geoms": (mjcf("<body>" + "<geom size='1'/>" * 20000 + "</body>"), "mujoco_elements"),
    "composite": (mjcf("<body><composite type='cable' count='100000 1 1'/></body>"), "mujoco_bodies"),
    "flexcomp": (mjcf("<body><flexcomp name='f' type='grid' count='200 200 200'/></body>"), "mujoco_bodies"),
    "attached to itself, twice each": (mjcf(f"<body name='b0'/>{DOUBLING}"), "mujoco_bodies"),
    "height field": (
        mjcf("", "<asset><hfield name='h' nrow='99999' ncol='99999' size='1 1 1 1'/></asset>"),
        "mujoco_cells",
    ),
    "texture": (
        mjcf("", "<asset><texture name='t' builtin='flat' width='99999' height='99999'/></asset>"),
        "mujoco_cells",
    ),
    "numeric": (mjcf("", "<custom><numeric name='n' size='999999999'/></custom>"), "mujoco_cells"),
    "mesh": (mjcf("", "<asset><mesh name='m' builtin='supersphere' params='30000 1 1'/></asset>"), "mujoco_cells"),
}


@pytest.mark.parametrize("case", MUJOCO_BOMBS)
def test_mjcf_that_would_not_end_is_refused(case):
    text, words = MUJOCO_BOMBS[case]
    with pytest.raises(sd.ModelError, match=words):
        sd.Model.from_mjcf(text)


@pytest.mark.parametrize(
    "beside",
    [
        "<size nkey='100000000'/>",
        "<size nuserdata='2000000000'/>",
        "<size memory='500G'/>",
        "<size nuser_body='100000000' nuser_geom='100000000'/>",
        "<sensor><user name='u' dim='2000000000'/></sensor>",
        "<sensor><clock nsample='1000000000' interval='1'/></sensor>",
    ],
)
def test_what_a_robot_does_not_need_takes_no_memory(beside):
    assert sd.Model.from_mjcf(mjcf(BODY, beside)).base_kind == "free"


def test_models_that_attach_others_many_times(tmp_path):
    for i in range(1, 12):
        body = "".join(f"<attach model='m' prefix='{p}_'/>" for p in "abcdefgh")
        text = mjcf(f"<body>{body}</body>", f"<asset><model name='m' file='{i + 1}.xml'/></asset>")
        (tmp_path / f"{i}.xml").write_text(text)
    (tmp_path / "12.xml").write_text(mjcf("<body/>"))
    with pytest.raises(sd.ModelError, match="mujoco_bodies"):
        sd.load(tmp_path / "1.xml")


def test_an_error_shows_the_first_twenty_problems_and_counts_the_rest():
    wrong = "".join(f'[bodies."{"n" * 5000}{i}"]\nmass = "x"\n' for i in range(300))
    with pytest.raises(sd.ModelError, match="has 300 problems, the first 20") as caught:
        sd.Model.from_toml(BASE + wrong)
    lines = str(caught.value).splitlines()
    assert len(lines) == 22 and "280 more" in lines[-1] and max(map(len, lines)) < 600
    assert len(caught.value.problems) == 300


def test_a_search_for_problems_ends():
    with pytest.raises(sd.ModelError, match="1000 problems or more") as caught:
        sd.Model.from_toml(BASE + "".join(f"k{i} = 1\n" for i in range(100_000)))
    assert len(caught.value.problems) == 1000
    links = "".join(f"<link name='l{i}'/>" for i in range(5000))
    joints = "".join(
        f"<joint name='j{i}' type='fixed'><parent link='p{i}'/><child link='l{i}'/></joint>" for i in range(5000)
    )
    with pytest.raises(sd.ModelError, match="1000 problems or more"):
        sd.Model.from_urdf(f"<robot name='r'>{links}{joints}</robot>")
