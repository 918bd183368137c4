"""What the original SpaceDyn computed, to |error| <= 1e-12 max(1, |x|), through its arrays and the public functions.

Every entry under "outputs" of golden/model_*.json is compared; a last test sees to it that none is left out. Frames,
orders and signs of the files stand in their `meta.conventions`.
"""

import numpy as np
import pytest

import spacedyn as sd
from golden_cases import MODELS, Case


@pytest.fixture(params=[(), (11,)], ids=["one", "batch"])
def case(request, name) -> Case:
    """One robot, and the same in a batch that fills no whole number of packs."""
    return Case(name, request.param)


every_model = pytest.mark.parametrize("name", MODELS)


@every_model
def test_link_attitudes_and_positions(case):
    links = sd.forward_kinematics(case.model, case.state).centroids
    case.agrees(links.rotation[..., 1:, :, :], case.wanted["kinematics"]["AA"])
    case.agrees(links.position[..., 1:, :], case.wanted["kinematics"]["RR"])


@every_model
def test_link_velocities(case):
    links = sd.forward_kinematics(case.model, case.state).centroids
    case.agrees(links.velocity[..., 1:, :3], case.wanted["kinematics"]["vv"])
    case.agrees(links.velocity[..., 1:, 3:], case.wanted["kinematics"]["ww"])


@every_model
def test_link_accelerations(case):
    links = sd.forward_kinematics(case.model, case.state, case.udot).centroids
    case.agrees(links.acceleration[..., 1:, :3], case.wanted["kinematics"]["vd"])
    case.agrees(links.acceleration[..., 1:, 3:], case.wanted["kinematics"]["wd"])


@every_model
def test_link_jacobians(case):
    jacobians = [sd.body_jacobian(case.model, case.state, body.name)[..., 6:] for body in case.model.bodies[1:]]
    case.agrees(np.stack([J[..., :3, :] for J in jacobians], axis=-3), case.wanted["link_jacobians"]["JJ_t"])
    case.agrees(np.stack([J[..., 3:, :] for J in jacobians], axis=-3), case.wanted["link_jacobians"]["JJ_r"])


@every_model
def test_endpoint_poses(case):
    assert len(case.ends) == len(case.model.endpoints)
    for name, wanted in zip(case.model.endpoint_names, case.ends, strict=True):
        assert case.model.endpoint(name).body == f"link{wanted['link']}"
        position, rotation = sd.endpoint_pose(case.model, case.state, name)
        case.agrees(position, wanted["POS_e"])
        case.agrees(rotation, wanted["ORI_e"])


@every_model
def test_joints_on_the_way_to_an_endpoint(case):
    """SpaceDyn's joint is where the parent carries it, also when it has slid; its attitude is the link's."""
    frames = sd.forward_kinematics(case.model, case.state)
    for wanted in case.ends:
        chain = [number - 1 for number in wanted["joints"]]
        assert chain == way_to(case.model, wanted["link"])
        case.agrees(frames.joints.position[..., chain, :], wanted["POS_j"])
        case.agrees(frames.bodies.rotation[..., 1:, :, :][..., chain, :, :], wanted["ORI_j"])


def way_to(model: sd.Model, body: int) -> list[int]:
    """The joints from the base to a body, by index."""
    return [] if body == 0 else [*way_to(model, model.parents[body]), body - 1]


@every_model
def test_endpoint_jacobians(case):
    for name, wanted in zip(case.model.endpoint_names, case.ends, strict=True):
        J = sd.endpoint_jacobian(case.model, case.state, name)[..., 6:]
        chain = [number - 1 for number in wanted["joints"]]
        case.agrees(J[..., :3, chain], wanted["JJ_te"])
        case.agrees(J[..., 3:, chain], wanted["JJ_re"])
        case.agrees(J, wanted["calc_je"])


@every_model
def test_generalized_jacobian_and_inertia(case):
    for name, wanted in zip(case.model.endpoint_names, case.ends, strict=True):
        case.agrees(sd.generalized_jacobian(case.model, case.state, name), wanted["calc_gj"])
    case.agrees(sd.generalized_inertia(case.model, case.state), case.wanted["calc_gh_v1r2"])


@every_model
def test_mass_matrix(case):
    wanted = np.array(case.wanted["HH"])
    case.agrees(sd.mass_matrix(case.model, case.state), wanted)
    blocks = sd.mass_matrix_blocks(case.model, case.state)
    for found, part in zip(blocks, (wanted[:6, :6], wanted[:6, 6:], wanted[6:, 6:]), strict=True):
        case.agrees(found, part)


@every_model
def test_bias_force(case):
    case.agrees(sd.bias_force(case.model, case.state, gravity=case.gravity), case.wanted["Force0"])
    case.agrees(sd.bias_force(case.model, case.state), case.wanted["Force0_without_gravity"])


@every_model
def test_inverse_dynamics(case):
    found = sd.inverse_dynamics(case.model, case.state, case.udot, gravity=case.gravity)
    case.agrees(found, case.wanted["r_ne_no_endpoint_load"])


@every_model
def test_inverse_dynamics_with_endpoint_wrenches(case):
    """Version 1 release 2 has the sign of f_dyn; version 2 release 1 has the wrench's sign reversed."""
    loads = {"gravity": case.gravity, "endpoint_wrenches": case.wrenches}
    found = sd.inverse_dynamics(case.model, case.state, case.udot, **loads)
    case.agrees(found, case.wanted["r_ne_with_endpoint_load_v1r2"])
    loads["endpoint_wrenches"] = {end: -wrench for end, wrench in case.wrenches.items()}
    found = sd.inverse_dynamics(case.model, case.state, case.udot, **loads)
    case.agrees(found, case.wanted["r_ne_with_endpoint_load_v2r1"])


@every_model
def test_forward_dynamics(case):
    loads = {"base_wrench": case.base_wrench, "endpoint_wrenches": case.wrenches, "gravity": case.gravity}
    udot = sd.forward_dynamics(case.model, case.state, case.tau, **loads)
    for part, name in ((slice(0, 3), "vd0"), (slice(3, 6), "wd0"), (slice(6, None), "qdd")):
        case.agrees(udot[..., part], case.wanted["f_dyn"][name])


@pytest.mark.parametrize("name", MODELS[1:])
def test_the_loads_of_these_files_show_a_wrong_sign(name):
    """Model a is unloaded; in the others gravity and wrenches matter, so that the comparisons above mean something."""
    wanted = Case(name).wanted
    for one, other in (
        ("Force0", "Force0_without_gravity"),
        ("r_ne_no_endpoint_load", "r_ne_with_endpoint_load_v1r2"),
        ("r_ne_with_endpoint_load_v1r2", "r_ne_with_endpoint_load_v2r1"),
    ):
        assert np.abs(np.subtract(wanted[one], wanted[other])).max() > 0.1


@every_model
def test_nothing_in_the_files_is_left_out(name):
    """The quantities that the tests above compare are all that the files have."""
    wanted = Case(name).wanted
    assert set(wanted["kinematics"]) == {"AA", "RR", "vv", "ww", "vd", "wd"}
    assert set(wanted["link_jacobians"]) - {"note"} == {"JJ_t", "JJ_r"}
    poses, jacobians = {"POS_e", "ORI_e", "POS_j", "ORI_j"}, {"JJ_te", "JJ_re", "calc_je", "calc_gj"}
    for end in wanted["endpoints"]["list"]:
        assert set(end) == {"num_e", "link", "joints"} | poses | jacobians
    assert set(wanted["f_dyn"]) - {"note"} == {"vd0", "wd0", "qdd"}
    forces = {"Force0", "Force0_without_gravity", "r_ne_no_endpoint_load"}
    loaded = {"r_ne_with_endpoint_load_v1r2", "r_ne_with_endpoint_load_v2r1"}
    others = {"kinematics", "link_jacobians", "endpoints", "calc_gh_v1r2", "HH", "f_dyn", "r_ne_note"}
    assert set(wanted) == forces | loaded | others
